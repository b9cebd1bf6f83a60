/// `{device}/cadence`: the live cadence of a device.
public struct CadenceReport: JSONPayload, Hashable {
    /// The time, in seconds since 1970.
    public var t = 0.0
    /// Crank revolutions a minute, for bikes.
    public var rpm: Double?
    /// Steps a minute, for walkers.
    public var spm: Double?
    /// The counter's confidence, 0 … 1.
    public var confidence = 0.0
    /// The activity of the device's wearer.
    public var state = ActivityKind.unknown
    /// All-time crank revolutions, for bikes.
    public var revolutions: UInt64?
    /// When the last of these revolutions was complete, in seconds since 1970. The differences of both fields give the
    /// work between two messages, even if messages in between were lost.
    public var lastRevolutionT: Double?
    /// Kilometres an hour, for bikes with a known distance per crank revolution.
    public var speedKilometresPerHour: Double?

    package init() {}

    package init(
        t: Double, rpm: Double? = nil, spm: Double? = nil, confidence: Double, state: ActivityKind,
        revolutions: UInt64? = nil, lastRevolutionT: Double? = nil, speedKilometresPerHour: Double? = nil
    ) {
        self.t = t
        self.rpm = rpm
        self.spm = spm
        self.confidence = confidence
        self.state = state
        self.revolutions = revolutions
        self.lastRevolutionT = lastRevolutionT
        self.speedKilometresPerHour = speedKilometresPerHour
    }

    /// True if anything moves: a stop is a cadence of 0.
    public var isMoving: Bool { max(rpm ?? 0, spm ?? 0) > 0 }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("t", &t)
        try list.number("rpm", &rpm, in: PayloadLimits.cadence, decimals: 2)
        try list.number("spm", &spm, in: PayloadLimits.cadence, decimals: 2)
        try list.number("confidence", &confidence, in: 0...1, decimals: 2)
        try list.activity("state", &state)
        try list.count("revolutions", &revolutions)
        try list.time("last_revolution_t", &lastRevolutionT)
        try list.number(
            "speed_kmh", &speedKilometresPerHour, in: PayloadLimits.speedKilometresPerHour, decimals: 2)
    }
}

/// `{device}/steps`: steps as they are counted.
public struct StepsReport: JSONPayload, Hashable {
    /// The time, in seconds since 1970.
    public var t = 0.0
    /// Steps since the previous report.
    public var steps = 0
    /// All-time steps.
    public var total: UInt64 = 0
    /// Steps a minute.
    public var cadenceSPM = 0.0
    /// The all-time distance in metres, if the length of a stride is known.
    public var distanceMetres: Double?
    /// The current pace in seconds a metre, if the length of a stride is known.
    public var paceSecondsPerMetre: Double?

    package init() {}

    package init(
        t: Double, steps: Int, total: UInt64, cadenceSPM: Double, distanceMetres: Double? = nil,
        paceSecondsPerMetre: Double? = nil
    ) {
        self.t = t
        self.steps = steps
        self.total = total
        self.cadenceSPM = cadenceSPM
        self.distanceMetres = distanceMetres
        self.paceSecondsPerMetre = paceSecondsPerMetre
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("t", &t)
        try list.whole("steps", &steps)
        try list.count("total", &total)
        try list.number("cadence_spm", &cadenceSPM, in: PayloadLimits.cadence, decimals: 2)
        try list.number("distance_m", &distanceMetres, in: PayloadLimits.distanceMetres, decimals: 3)
        try list.number("pace_s_per_m", &paceSecondsPerMetre, in: PayloadLimits.paceSecondsPerMetre, decimals: 4)
    }
}

/// `{device}/activity`: the activity of a device's wearer, and its beginning.
public struct ActivityReport: JSONPayload, Hashable {
    /// The time, in seconds since 1970.
    public var t = 0.0
    /// The activity of the wearer.
    public var activity = ActivityKind.unknown
    /// The confidence in the activity.
    public var confidence = ActivityConfidence.low
    /// The beginning of the activity, in seconds since 1970.
    public var since = 0.0

    package init() {}

    package init(t: Double, activity: ActivityKind, confidence: ActivityConfidence, since: Double) {
        self.t = t
        self.activity = activity
        self.confidence = confidence
        self.since = since
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("t", &t)
        try list.activity("activity", &activity)
        try list.word("confidence", &confidence)
        try list.time("since", &since)
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
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .stationary: "stationary"
        case .walking: "walking"
        case .running: "running"
        case .cycling: "cycling"
        case .automotive: "automotive"
        }
    }
}

/// The confidence in an activity: the three words of CoreMotion's `CMMotionActivityConfidence`.
public enum ActivityConfidence: String, Sendable, Hashable, CaseIterable {
    /// A guess.
    case low
    /// Likely.
    case medium
    /// Sure.
    case high
}

extension FieldList {
    mutating func activity(_ name: String, _ activity: inout ActivityKind) throws(WireError) {
        try field(
            name, .string, &activity,
            read: { json throws(WireError) in
                let word = try json.text(maximumBytes: PayloadLimits.maximumTextBytes)
                guard let activity = ActivityKind.allCases.first(where: { $0.name == word }) else { throw .outOfRange }
                return activity
            }, write: { $0.value($1.name) })
    }
}
