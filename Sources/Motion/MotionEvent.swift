/// The sensors of a sample.
public struct SensorSet: OptionSet, Sendable, Hashable {
    /// The bits, as they are stored.
    public let rawValue: UInt8

    /// A set from its stored bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Acceleration in m/s² (or g), with or without gravity.
    public static let acceleration = SensorSet(rawValue: 1)
    /// Angular velocity in rad/s.
    public static let angularVelocity = SensorSet(rawValue: 2)
    /// Magnetic field in µT.
    public static let magneticField = SensorSet(rawValue: 4)

    /// Acceleration and angular velocity, as most devices send.
    static var sixAxes: SensorSet { [.acceleration, .angularVelocity] }
}

/// One reading of a device's sensors at one time.
public struct MotionSample: Sendable, Equatable {
    /// UTC in microseconds since 1970, never decreasing for a device.
    public var timeMicroseconds: Int64
    /// Acceleration in m/s², with gravity or without, any mounting. Values in g are recognised.
    public var acceleration: SIMD3<Float>
    /// Angular velocity in rad/s.
    public var angularVelocity: SIMD3<Float>
    /// Magnetic field in µT.
    public var magneticField: SIMD3<Float>
    /// The sensors that have values; the other values are not read.
    public var sensors: SensorSet

    /// A sample; leave out what the device does not measure.
    public init(
        timeMicroseconds: Int64,
        acceleration: SIMD3<Float> = .zero,
        angularVelocity: SIMD3<Float> = .zero,
        magneticField: SIMD3<Float> = .zero,
        sensors: SensorSet
    ) {
        self.timeMicroseconds = timeMicroseconds
        self.acceleration = acceleration
        self.angularVelocity = angularVelocity
        self.magneticField = magneticField
        self.sensors = sensors
    }
}

/// What the wearer or rider is doing.
public enum Activity: UInt8, Sendable, CaseIterable {
    /// Any other movement.
    case unknown
    /// At rest.
    case stationary
    /// Walking.
    case walking
    /// Running.
    case running
    /// Pedalling.
    case cycling
    /// In a vehicle.
    case automotive
}

/// The confidence of an activity.
public enum ActivityConfidence: UInt8, Sendable, CaseIterable {
    /// A guess.
    case low
    /// Likely.
    case medium
    /// Held for a while on a clear signal.
    case high
}

/// The state of a device at the end of one second of signal.
public struct SecondReport: Sendable, Equatable {
    /// The end of the second: UTC in microseconds since 1970, a whole second.
    public var timeMicroseconds: Int64
    /// Crank revolutions a minute, 0 when not pedalling.
    public var cadenceRPM: Float
    /// Steps a minute, 0 when not walking.
    public var cadenceSPM: Float
    /// The probability that the cadence is right, within 5 rpm or 10 steps a minute, 0…1; 0 without a cadence.
    public var confidence: Float
    /// The activity of the wearer or rider.
    public var activity: Activity
    /// The confidence of the activity.
    public var activityConfidence: ActivityConfidence
    /// Time of the second spent walking, running or pedalling, 0…1000 ms.
    public var activeMilliseconds: Int

    /// A report from its parts.
    public init(
        timeMicroseconds: Int64, cadenceRPM: Float = 0, cadenceSPM: Float = 0, confidence: Float = 0,
        activity: Activity = .unknown, activityConfidence: ActivityConfidence = .low, activeMilliseconds: Int = 0
    ) {
        self.timeMicroseconds = timeMicroseconds
        self.cadenceRPM = cadenceRPM
        self.cadenceSPM = cadenceSPM
        self.confidence = confidence
        self.activity = activity
        self.activityConfidence = activityConfidence
        self.activeMilliseconds = activeMilliseconds
    }
}

/// An event of a pipeline. Counts are never taken back.
public enum MotionEvent: Sendable, Equatable {
    /// Steps, and the time of the last of them, UTC µs. Steps that are counted late come as several events, each with
    /// its own time.
    case steps(count: Int, timeMicroseconds: Int64)
    /// Crank revolutions, and the time at which the last of them was complete, UTC µs.
    case revolutions(count: Int, timeMicroseconds: Int64)
    /// The report of a UTC second. A second that a gap or the end cuts is reported if at least half of it had a signal.
    case second(SecondReport)
}

/// A buffer that events are appended to. Reuse one and call ``removeAll()`` between uses: in steady state
/// nothing is allocated.
public struct MotionEvents: Sendable, RandomAccessCollection {
    private var storage: [MotionEvent] = []
    /// Memory of evaluations, shared by all pipelines that append here.
    private var memory = DecoderMemory()

    /// An empty buffer with room for a number of events.
    public init(minimumCapacity: Int = 64) {
        storage.reserveCapacity(Swift.max(0, minimumCapacity))
    }

    /// The first position.
    public var startIndex: Int { storage.startIndex }
    /// One past the last position.
    public var endIndex: Int { storage.endIndex }
    /// The event at a position.
    public subscript(position: Int) -> MotionEvent { storage[position] }

    /// Appends an event.
    public mutating func append(_ event: MotionEvent) {
        storage.append(event)
    }

    /// Takes out the memory for an evaluation, which is written while events are appended; `putBack` returns it.
    mutating func lendMemory() -> DecoderMemory {
        var taken = DecoderMemory()
        swap(&taken, &memory)
        taken.prepare()
        return taken
    }

    mutating func putBack(_ taken: consuming DecoderMemory) {
        memory = taken
    }

    /// Empties the buffer and keeps its memory.
    public mutating func removeAll() {
        if !storage.isEmpty {
            storage.removeAll(keepingCapacity: true)
        }
    }
}

/// Samples that a pipeline did not use, and why. Counters saturate.
public struct MotionDiagnostics: Sendable, Equatable {
    /// Samples left out: not finite, out of range, no sensor, or a time that is equal, earlier or absurd.
    public internal(set) var ignoredSamples: UInt64 = 0
    /// Samples with a value beyond any sensor's range that was clipped: 32 g, 70 rad/s, 20 mT.
    public internal(set) var saturatedSamples: UInt64 = 0
    /// Gaps of more than a second, after which the signal was taken up anew.
    public internal(set) var gaps: UInt64 = 0
    /// The rate is too low to count: under 8 Hz for a bike, under 9 Hz for a wearable.
    public internal(set) var isTooSlow = false
    /// A wearable's acceleration is rounded so coarsely that a step changes it by little more than one unit.
    public internal(set) var isTooCoarse = false
    /// It is sampled slowly, and low-passed so far that steps are hardly left in it.
    public internal(set) var isTooSmooth = false
    /// Acceleration arrives in g and is converted.
    public internal(set) var isInStandardGravities = false
    /// Acceleration arrives without gravity.
    public internal(set) var isWithoutGravity = false

    /// Diagnostics of a new pipeline.
    public init() {}
}
