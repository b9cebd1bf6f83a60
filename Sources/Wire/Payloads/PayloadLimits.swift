/// What the numbers of public payloads may be; a decoder refuses anything beyond as `.outOfRange`.
public enum PayloadLimits {
    /// Revolutions or steps a minute: far beyond any leg.
    public static let cadence = 0.0...1_000.0
    /// Metres, for ever.
    public static let distanceMetres = 0.0...1e12
    /// Seconds of a duration, for ever.
    public static let durationSeconds = 0.0...1e12
    /// Seconds a metre.
    public static let paceSecondsPerMetre = 0.0...1e6
    /// Kilometres an hour: a cadence at its limit with the longest way a revolution.
    public static let speedKilometresPerHour = 0.0...10_000.0
    /// Seconds since 1970: up to the end of the year 9999.
    public static let timeSeconds = 0.0...253_402_300_799.0
    /// The longest text, in bytes.
    public static let maximumTextBytes = 256
    /// The longest name of a time zone, in bytes.
    public static let maximumZoneBytes = 64
    /// The most records in one reply: as many of the longest buckets as `JSONValue.maximumBytes` holds.
    public static let maximumRecords = 5_000
}

extension JSONObject {
    /// Seconds since 1970.
    func time(_ name: String) throws(WireError) -> Double {
        guard let time = try optionalTime(name) else { throw .wrongType }
        return time
    }

    /// Seconds since 1970, if they are there.
    func optionalTime(_ name: String) throws(WireError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let time = value.double else { throw .wrongType }
        guard PayloadLimits.timeSeconds.contains(time) else { throw .absurdTime }
        return time
    }

    /// The word of an activity.
    func activity(_ name: String) throws(WireError) -> ActivityKind {
        let word = try string(name, maximumBytes: PayloadLimits.maximumTextBytes)
        guard let activity = ActivityKind.allCases.first(where: { $0.name == word }) else { throw .outOfRange }
        return activity
    }

    /// A list of objects.
    func payloads<Payload: JSONPayload>(_ name: String, of _: Payload.Type) throws(WireError) -> [Payload] {
        let values = try array(name)
        guard values.count <= PayloadLimits.maximumRecords else { throw .payloadTooLarge }
        var payloads: [Payload] = []
        payloads.reserveCapacity(values.count)
        for value in values { payloads.append(try Payload(value: value)) }
        return payloads
    }
}

extension JSONWriter {
    /// Writes a list of objects.
    mutating func field(_ name: String, _ payloads: [some JSONPayload]) {
        key(name)
        beginArray()
        for payload in payloads { payload.write(to: &self) }
        endArray()
    }
}
