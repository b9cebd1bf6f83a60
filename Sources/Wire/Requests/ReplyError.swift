/// Why a request was not answered with data.
public struct ReplyError: Error, Sendable, Hashable {
    /// The word for a program.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A field is missing, mistyped or makes no sense.
        case badRequest = "bad_request"
        /// No such device has been seen.
        case unknownDevice = "unknown_device"
        /// No such verb.
        case unknownVerb = "unknown_verb"
        /// The verb exists, but not for this device or in this service.
        case notAvailable = "not_available"
        /// History protects this verb, and the request's `key` is missing or not the one that it needs. What a broker's
        /// access lists keep from an asker has no answer at all.
        case notAuthorised = "not_authorised"
        /// More data than one reply may hold: ask for less, or for larger buckets.
        case tooLarge = "too_large"
        /// Too many requests at once: ask again later.
        case tooBusy = "too_busy"
        /// The request's deadline had passed when it was read.
        case expired
        /// The service failed.
        case `internal`
    }

    /// The word for a program.
    public var code: Code
    /// The sentence for a human: what is wrong, and what to do.
    public var message: String

    /// An error from its parts.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}
