/// The bounds of the numbers in public payloads; a decoder refuses anything beyond as `.outOfRange`.
package enum PayloadLimits {
    /// Revolutions or steps a minute: far beyond any leg.
    package static let cadence = 0.0...1_000.0
    /// Metres, for ever.
    package static let distanceMetres = 0.0...1e12
    /// Seconds of a duration, for ever.
    package static let durationSeconds = 0.0...1e12
    /// Seconds a metre.
    package static let paceSecondsPerMetre = 0.0...1e6
    /// Kilometres an hour: a cadence at its limit with the longest way a revolution.
    package static let speedKilometresPerHour = 0.0...10_000.0
    /// Seconds since 1970: up to the end of the year 9999.
    package static let timeSeconds = 0.0...253_402_300_799.0
    package static let maximumTextBytes = 256
    /// The longest name of a time zone, in bytes.
    package static let maximumZoneBytes = 64
    /// The most records in one reply: as many of the longest buckets as `JSONValue.maximumBytes` holds.
    package static let maximumRecords = 5_000
}
