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
    var newestMicroseconds: Int64 { lastMicroseconds }

    private var lastMicroseconds: Int64 = -1
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
        lastMicroseconds = sample.timeMicroseconds
        lastSensors = sample.sensors
        earlierCount = 0
    }

    mutating func admit(_ sample: inout MotionSample, _ diagnostics: inout MotionDiagnostics) -> Verdict {
        guard (0...Self.latestMicroseconds).contains(sample.timeMicroseconds), clean(&sample, &diagnostics) else {
            return .ignored
        }
        let time = sample.timeMicroseconds
        if time > lastMicroseconds {
            earlierCount = 0
        } else if time == lastMicroseconds, sample.sensors.isDisjoint(with: lastSensors) {
            lastSensors.formUnion(sample.sensors)
            return .accepted
        } else if time == lastMicroseconds || !isRebased(by: time) {
            return .ignored
        }
        let rebased = time < lastMicroseconds
        lastMicroseconds = time
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
        if clipped {
            diagnostics.saturatedSamples &+= 1
        }
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
            value.x = min(max(value.x, -limit), limit)
            value.y = min(max(value.y, -limit), limit)
            value.z = min(max(value.z, -limit), limit)
            clipped = true
        }
        return true
    }
}
