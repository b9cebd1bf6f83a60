/// `{device}/cadence`: the live cadence of a device.
public struct CadenceReport: FieldPayload, Hashable {
    /// The end of the second that it is about, in seconds since 1970.
    public var t = 0.0
    /// Crank revolutions a minute, for bikes.
    public var cadenceRPM: Double?
    /// Steps a minute, for walkers.
    public var cadenceSPM: Double?
    /// The probability that the cadence is right, 0 … 1.
    public var confidence = 0.0
    /// The activity of the device's wearer.
    public var activity = ActivityKind.unknown
    /// All-time crank revolutions, for bikes.
    public var revolutions: UInt64?
    /// When the last of these revolutions was complete, in seconds since 1970. The differences of both fields give the
    /// work between two messages, even if messages in between were lost.
    public var lastRevolutionT: Double?
    /// Metres a second, for bikes with a known distance per crank revolution.
    public var speedMetresPerSecond: Double?

    /// True if anything moves: a stop is a cadence of 0.
    public var isMoving: Bool { max(cadenceRPM ?? 0, cadenceSPM ?? 0) > 0 }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("cadence_rpm", &cadenceRPM, .cadence)
        try list.field("cadence_spm", &cadenceSPM, .cadence)
        try list.field("confidence", &confidence, .confidence)
        try list.field("activity", &activity, .activity)
        try list.field("revolutions", &revolutions, .count)
        try list.field("last_revolution_t", &lastRevolutionT, .time)
        try list.field("speed_m_per_s", &speedMetresPerSecond, .speed)
    }
}

/// `{device}/steps`: steps as they are counted.
public struct StepsReport: FieldPayload, Hashable {
    /// The time of the last of these steps, in seconds since 1970.
    public var t = 0.0
    /// All-time steps.
    public var steps: UInt64 = 0
    /// Steps since the previous report.
    public var newSteps = 0
    /// Steps a minute.
    public var cadenceSPM = 0.0
    /// The all-time distance in metres, if the length of a stride is known.
    public var distanceMetres: Double?
    /// The current pace in seconds a metre, if the length of a stride is known.
    public var paceSecondsPerMetre: Double?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("steps", &steps, .count)
        try list.field("new_steps", &newSteps, .whole(in: 0...Int.max))
        try list.field("cadence_spm", &cadenceSPM, .cadence)
        try list.field("distance_m", &distanceMetres, .metres)
        try list.field("pace_s_per_m", &paceSecondsPerMetre, .pace)
    }
}

/// `{device}/heart`: the heart rate that a sensor tells.
public struct HeartReport: FieldPayload, Hashable {
    /// The time of the reading, in seconds since 1970.
    public var t = 0.0
    /// Beats a minute.
    public var bpm = 0.0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("bpm", &bpm, .number(in: 0...Double(Trace.Channel.maximum), decimals: 0))
    }
}

/// `{device}/power`: the power that a sensor tells.
public struct PowerReport: FieldPayload, Hashable {
    /// The time of the reading, in seconds since 1970.
    public var t = 0.0
    /// Watts.
    public var watts = 0.0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("watts", &watts, .number(in: 0...Double(Trace.Channel.maximum), decimals: 0))
    }
}

/// `{device}/activity`: the activity of a device's wearer, and its beginning.
public struct ActivityReport: FieldPayload, Hashable {
    /// The time at which activity and confidence were so, in seconds since 1970.
    public var t = 0.0
    /// The activity of the wearer.
    public var activity = ActivityKind.unknown
    /// The probability that the activity is right, 0 … 1.
    public var confidence = 0.0
    /// The beginning of the activity, in seconds since 1970.
    public var since = 0.0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("activity", &activity, .activity)
        try list.field("confidence", &confidence, .confidence)
        try list.field("since", &since, .time)
    }
}

/// An activity of a device's wearer; the raw values are those of internal batches.
public enum ActivityKind: UInt8, Sendable, Hashable, CaseIterable {
    /// No recognised activity.
    case unknown = 0
    /// Not moving.
    case stationary = 1
    /// Walking, stairs included.
    case walking = 2
    /// Running.
    case running = 3
    /// Pedalling.
    case cycling = 4
    /// In a vehicle.
    case automotive = 5

    /// The word on the bus.
    public var name: String { Self.names[Int(rawValue)] }

    /// The words in the order of the raw values.
    private static let names = ["unknown", "stationary", "walking", "running", "cycling", "automotive"]
}

/// The confidence in a live activity, in the three words of CoreMotion's `CMMotionActivityConfidence`.
package enum ActivityConfidence: String, Sendable, Hashable, CaseIterable {
    case low
    case medium
    case high

    /// The probability on the bus.
    package var probability: Double {
        switch self {
        case .low: 0.3
        case .medium: 0.6
        case .high: 0.9
        }
    }
}

extension FieldForm<ActivityKind> {
    static var activity: Self {
        Self { json throws(WireError) in
            let word = try json.text()
            guard let activity = ActivityKind.allCases.first(where: { $0.name == word }) else { throw .outOfRange }
            return activity
        } write: {
            $0.value($1.name)
        }
    }
}
