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
