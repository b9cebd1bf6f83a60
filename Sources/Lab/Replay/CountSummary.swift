public import Wire

/// What was counted in a recording.
public struct CountSummary: Sendable, Equatable {
    /// Time for which samples exist, in seconds.
    public var durationSeconds = 0.0
    /// Steps.
    public var steps: Int64 = 0
    /// Crank revolutions.
    public var revolutions: Int64 = 0
    /// Floors gone on foot; `nil` where there is no pressure in the recording.
    public var floors: FloorCounts?
    /// The time-weighted mean of the cadence while pedalling, in rpm; 0 when nobody pedalled.
    public var meanRPM = 0.0
    /// Seconds in each activity, by `ActivityKind.rawValue`.
    public var activitySeconds = [Double](repeating: 0, count: ActivityKind.allCases.count)

    /// The summary as one JSON line.
    public func encodedJSON(file: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("file", file)
        writer.field("duration_s", durationSeconds, decimals: 3)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("mean_rpm", meanRPM, decimals: 2)
        writer.field("floors_ascended", floors?.ascended)
        writer.field("floors_descended", floors?.descended)
        writer.key("activity_s")
        writer.beginObject()
        for kind in ActivityKind.allCases where activitySeconds[Int(kind.rawValue)] > 0 {
            writer.field(kind.name, activitySeconds[Int(kind.rawValue)], decimals: 1)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

/// What was so in one second of a recording.
public struct CountSecond: Sendable, Equatable {
    /// Seconds since the recording's first second.
    public var timeSeconds: Double
    /// Revolutions a minute.
    public var rpm = 0.0
    /// Steps a minute.
    public var spm = 0.0
    /// What the wearer was doing.
    public var activity = ActivityKind.unknown
    /// How sure the cadence is, 0 to 1.
    public var confidence = 0.0

    /// The second as one JSON line.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("t_s", timeSeconds, decimals: 0)
        writer.field("rpm", rpm, decimals: 1)
        writer.field("spm", spm, decimals: 1)
        writer.field("activity", activity.name)
        writer.field("confidence", confidence, decimals: 2)
        writer.endObject()
        return writer.bytes
    }
}
