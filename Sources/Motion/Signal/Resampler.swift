internal import CMotion

/// Admits samples that are finite, in range and in order.
struct SampleGuard {
    /// 2^53 µs: the year 2255.
    static let latestMicroseconds: Int64 = 9_007_199_254_740_992
    /// The highest acceleration, m/s²: 32 g, twice the range of consumer sensors.
    static let accelerationLimit = Float(CMotionMostAcceleration)
    /// The highest angular velocity, rad/s: 4000 °/s.
    static let angularVelocityLimit = Float(CMotionMostAngularVelocity)
    /// The highest magnetic field, µT: four times the range of consumer sensors.
    static let magneticFieldLimit = Float(CMotionMostMagneticField)
    /// After this many samples in a row from before the newest one, the newest one's time was wrong.
    static let rebaseCount = 64

    /// The time of the newest admitted sample, UTC µs, or −1.
    private(set) var newestMicroseconds: Int64 = -1
    private var lastSensors: SensorSet = []
    private var earlierCount = 0
    private var earlierMicroseconds: Int64 = -1

    enum Verdict {
        case accepted
        /// The clock was set back: forget the past, then take the sample.
        case rebased
        case ignored
    }

    /// Takes a sample that is later than the one before, and in range.
    @inline(__always)
    mutating func push(_ sample: MotionSample) {
        newestMicroseconds = sample.timeMicroseconds
        lastSensors = sample.sensors
        earlierCount = 0
    }

    mutating func admit(_ sample: inout MotionSample, _ diagnostics: inout MotionDiagnostics) -> Verdict {
        guard (0...Self.latestMicroseconds).contains(sample.timeMicroseconds), clean(&sample, &diagnostics) else {
            return .ignored
        }
        let time = sample.timeMicroseconds
        if time > newestMicroseconds {
            earlierCount = 0
        } else if time == newestMicroseconds, sample.sensors.isDisjoint(with: lastSensors) {
            lastSensors.formUnion(sample.sensors)
            return .accepted
        } else if time == newestMicroseconds || !isRebased(by: time) {
            return .ignored
        }
        let rebased = time < newestMicroseconds
        newestMicroseconds = time
        lastSensors = sample.sensors
        return rebased ? .rebased : .accepted
    }

    private mutating func isRebased(by time: Int64) -> Bool {
        earlierCount = time > earlierMicroseconds ? earlierCount + 1 : 1
        earlierMicroseconds = time
        guard earlierCount >= Self.rebaseCount else { return false }
        earlierCount = 0
        return true
    }

    private func clean(_ sample: inout MotionSample, _ diagnostics: inout MotionDiagnostics) -> Bool {
        sample.sensors.formIntersection([.acceleration, .angularVelocity, .magneticField])
        guard !sample.sensors.isEmpty else { return false }
        var clipped = false
        if sample.sensors.contains(.acceleration) {
            guard Self.clip(&sample.acceleration, Self.accelerationLimit, &clipped) else { return false }
        }
        if sample.sensors.contains(.angularVelocity) {
            guard Self.clip(&sample.angularVelocity, Self.angularVelocityLimit, &clipped) else { return false }
        }
        if sample.sensors.contains(.magneticField) {
            guard Self.clip(&sample.magneticField, Self.magneticFieldLimit, &clipped) else { return false }
        }
        if clipped { diagnostics.saturatedSamples &+= 1 }
        return true
    }

    @inline(__always)
    private static func clip(_ value: inout SIMD3<Float>, _ limit: Float, _ clipped: inout Bool) -> Bool {
        let within = abs(value.x) <= limit && abs(value.y) <= limit && abs(value.z) <= limit
        // False for NaN, too.
        return within || clipOutlier(&value, limit, &clipped)
    }

    private static func clipOutlier(_ value: inout SIMD3<Float>, _ limit: Float, _ clipped: inout Bool) -> Bool {
        guard value.x.isFinite, value.y.isFinite, value.z.isFinite else { return false }
        if abs(value.x) > limit || abs(value.y) > limit || abs(value.z) > limit {
            value.clamp(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
            clipped = true
        }
        return true
    }
}

/// Resamples to 25 Hz: each tick is the mean over 40 ms of the line through the samples. That interpolates slow
/// signals, low-passes fast ones, and is insensitive to jitter.
struct Resampler {
    /// A longer silence than this ends the signal; the next sample starts it anew.
    static let gapMicroseconds = Int64(CMotionGapMicroseconds)
    /// A sensor without samples for this long counts as absent.
    static let sensorTimeoutMicroseconds: Int64 = 1_000_000

    /// The place of a signal's first tick in its block: 0, or that of the last.
    private let firstPlace: Int
    private(set) var isArmed = false
    private(set) var line = TickIntegrator()
    /// The end of the segment being integrated.
    private var targetTime: Int64 = 0
    private var target = TickIntegrator.Channels()
    private var lastReceived: (acceleration: Int64, angularVelocity: Int64, magneticField: Int64) = (-1, -1, -1)
    private(set) var liveSensors: SensorSet = []
    /// The sensors of the newest sample.
    private var newestSensors: SensorSet = []
    /// Whether any angular velocity was not 0. A gyroscope that reads 0 throughout is broken, and counts as absent: it
    /// would contradict every movement.
    private var hasTurned = false

    /// - Parameter isBike: A bike is evaluated after its first tick and then every 0.4 s, a person after whole blocks.
    init(isBike: Bool) {
        firstPlace = isBike ? Tick.mostAtOnce - 1 : 0
    }

    /// Whether restored ticks lie in their block.
    var isSound: Bool { firstPlace < Tick.mostAtOnce && line.isSound }

    /// Whether a sample comes after a gap that ends the signal.
    func isGap(before timeMicroseconds: Int64) -> Bool {
        isArmed && timeMicroseconds - line.time > Self.gapMicroseconds
    }

    /// Whether an interval between samples, µs, is positive and no gap.
    @inline(__always)
    static func isShort(_ interval: Int64) -> Bool { 0 < interval && interval <= gapMicroseconds }

    /// The end of the signal, UTC µs, as its ticks are numbered, or nil without one.
    var signalEndMicroseconds: Int64? { isArmed ? line.numberedTime : nil }

    /// Forgets the signal: the next sample starts it anew.
    mutating func disarm() {
        isArmed = false
        line.forgetSum()
        lastReceived = (-1, -1, -1)
        liveSensors = []
    }

    private var hasField: Bool { liveSensors.contains(.magneticField) }

    /// Takes a sample as the end of the segment that ``tick(rate:)`` and ``rest()`` integrate.
    @inline(__always)
    mutating func push(_ sample: MotionSample) {
        if !isArmed {
            isArmed = true
            line.begin(at: sample.timeMicroseconds, place: firstPlace)
            target = TickIntegrator.Channels()
        }
        let sensors = hasTurned ? sample.sensors : sensorsBeforeTurning(sample)
        target.follow(sample, sensors)
        note(sensors, at: sample.timeMicroseconds)
        let new = sensors.subtracting(liveSensors)
        if !new.isEmpty {
            line.welcome(new, target)
            liveSensors.formUnion(new)
        }
    }

    @inline(never)
    private mutating func sensorsBeforeTurning(_ sample: MotionSample) -> SensorSet {
        let hasGyroscope = sample.sensors.contains(.angularVelocity)
        hasTurned = hasGyroscope && sample.angularVelocity != .zero
        guard hasGyroscope, !hasTurned, sample.sensors.contains(.acceleration) else { return sample.sensors }
        return sample.sensors.subtracting(.angularVelocity)
    }

    @inline(__always)
    private mutating func note(_ sensors: SensorSet, at now: Int64) {
        if sensors.contains(.acceleration) { lastReceived.acceleration = now }
        if sensors.contains(.angularVelocity) { lastReceived.angularVelocity = now }
        if sensors.contains(.magneticField) { lastReceived.magneticField = now }
        targetTime = now
        newestSensors = sensors
    }

    /// Takes over an integrator that has followed samples of all live sensors.
    mutating func resume(_ followed: TickIntegrator) {
        line = followed
        target = followed.current
        note(liveSensors, at: followed.time)
    }

    /// Whether a tick ends before the newest sample or with it.
    var isTickDue: Bool { line.isTickDue(by: targetTime) }

    /// The next whole tick before the newest sample, when one is due.
    mutating func tick(rate: SampleRateEstimator) -> Tick {
        var tick = Tick()
        line.integrate(to: targetTime, target, hasField: hasField, &tick)
        if newestSensors != liveSensors { forgetSilentSensors() }
        (tick.sensors, tick.rate) = (liveSensors, rate)
        if !hasField { tick.magneticField = .zero }
        return tick
    }

    /// Integrates the rest of the segment after its last whole tick.
    mutating func rest() {
        var tick = Tick()
        line.integrate(to: targetTime, target, hasField: hasField, &tick)
    }

    @inline(never)
    private mutating func forgetSilentSensors() {
        for (sensor, time) in Self.times where self[keyPath: time] >= 0 {
            guard line.time - self[keyPath: time] > Self.sensorTimeoutMicroseconds else { continue }
            liveSensors.remove(sensor)
            self[keyPath: time] = -1
        }
    }

    private static let times: [(SensorSet, any WritableKeyPath<Self, Int64> & Sendable)] = [
        (.acceleration, \.lastReceived.acceleration), (.angularVelocity, \.lastReceived.angularVelocity),
        (.magneticField, \.lastReceived.magneticField),
    ]
}

/// Measures the sample rate, and tells when it is too low for counting.
struct SampleRateEstimator {
    static let leastBikeRateHz: Float = 8
    static let leastWearableRateHz: Float = 9
    private static let settlingCount = 8

    /// The mean time from one sample to the next, s; 0 before there were two.
    private(set) var meanSeconds: Float = 0
    private var count = 0
    private var last: Int64 = -1

    mutating func push(_ timeMicroseconds: Int64) {
        let interval = timeMicroseconds &- last
        if last >= 0, Resampler.isShort(interval) {
            withUnsafeMutableBytes(of: &self) {
                motion_pace($0.baseAddress?.assumingMemoryBound(to: motion_rate.self), interval)
            }
        }
        last = timeMicroseconds
    }

    func isTooSlow(isOnBike: Bool) -> Bool {
        guard count >= Self.settlingCount else { return false }
        let least = isOnBike ? Self.leastBikeRateHz : Self.leastWearableRateHz
        return meanSeconds * least > 1
    }
}

extension SampleRateEstimator {
    /// The share of a signal's roughness that is left at this rate, relative to 25 Hz and above, because interpolation
    /// removes high frequencies. Measured with walks at the wrist resampled to 12.5, 15 and 20 Hz.
    var roughnessShare: Float {
        min(max(1 - Self.lostShare * (Float(Tick.rateHz) - 1 / max(meanSeconds, 0.001)), Self.leastShare), 1)
    }

    /// The share that is lost with each hertz below 25, and the least share that is left.
    private static let lostShare: Float = 0.024
    private static let leastShare: Float = 0.6
}
