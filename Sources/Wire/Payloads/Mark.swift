/// `{device}/mark`: somebody says where a workout begins or ends, with a button or a page.
///
/// It is an object such as `{"kind":"start","t":1763673600}`, or the word alone.
package struct Mark: FieldPayload, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case start, stop
        /// A button with one meaning: stop where a workout goes on, else start.
        case toggle
    }

    package var kind = Kind.toggle
    /// When, in seconds since 1970; `nil` for when it came.
    package var t: Double?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("kind", &kind, .word)
        try list.field("t", &t, .deviceTime)
    }

    /// Reads what came: JSON, or the word, in whatever case and with space around it.
    package init(payload: UnsafeRawBufferPointer) throws(WireError) {
        guard !payload.isEmpty else { throw .emptyPayload }
        guard payload.count <= Self.maximumBytes else { throw .payloadTooLarge }
        let text = String(decoding: payload, as: UTF8.self)
        let words = text.split { $0.isWhitespace || $0 == "\"" }
        if words.count == 1, let word = words.first, let kind = Kind(rawValue: word.lowercased()) {
            self.init()
            self.kind = kind
        } else {
            try self.init(json: payload)
        }
    }

    package static var maximumBytes: Int { 256 }

    /// A mark further ahead than this is of a clock that is wrong.
    private static let maximumAheadSeconds = 86_400.0

    /// When it is, in whole seconds since 1970.
    package func second(arrivalSeconds: Double) throws(WireError) -> Int64 {
        let time = t ?? arrivalSeconds
        guard time < arrivalSeconds + Self.maximumAheadSeconds, let second = Int64(exactly: time.rounded(.down)),
            second >= FrameLimits.minimumTimeMicroseconds / 1_000_000
        else { throw .absurdTime }
        return second
    }

    init() {}
}

extension FieldForm<Double> {
    /// When something was by a device's clock: seconds since 1970, or milliseconds, microseconds or nanoseconds.
    fileprivate static var deviceTime: Self {
        Self { json throws(WireError) in
            guard let time = json.double else { throw .wrongType }
            let seconds = Double(try DeviceTime.microseconds(time)) / 1e6
            guard PayloadLimits.timeSeconds.contains(seconds) else { throw .absurdTime }
            return seconds
        } write: {
            $0.value($1, decimals: 3)
        }
    }
}
