/// What went wrong, what to do about it, and whether trying again makes sense.
public struct MQTTError: Error, Sendable, Hashable {
    /// The kind of error. A struct, so that codes that this version does not know survive.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number; stable.
        public let rawValue: Int

        /// A code from its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// The kind of error.
    public let code: Code
    /// One line: what happened and what to do.
    public let message: String
    /// Whether the same thing may work later without anybody changing anything.
    public let isRetriable: Bool
    /// The broker's reason code, where it gave one (MQTT 5 section 2.4; of CONNACK also in 3.1.1).
    public let reasonCode: UInt8?
    /// libmosquitto's return code, where it came from there.
    public let libraryCode: Int?

    /// An error; `isRetriable` follows from the code unless it is given.
    public init(
        _ code: Code, _ message: String, isRetriable: Bool? = nil, reasonCode: UInt8? = nil, libraryCode: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.isRetriable = isRetriable ?? code.isUsuallyRetriable
        self.reasonCode = reasonCode
        self.libraryCode = libraryCode
    }
}

extension MQTTError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
