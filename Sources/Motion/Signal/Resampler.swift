/// Turns samples at any rate into ticks: each tick is the integral of the line through the samples over 40 ms, divided by
/// 40 ms. That is interpolation for slow signals and an anti-aliasing mean for fast ones, and jitter does not matter.
struct Resampler {
    /// A longer silence than this ends the signal; the next sample starts it anew.
    static let gapMicroseconds: Int64 = 1_000_000
    /// A sensor not heard for this long counts as absent.
    static let sensorTimeoutMicroseconds: Int64 = 1_000_000

    private var isArmed = false
    /// How far the signal has been integrated.
    private var time: Int64 = 0
    /// The start of what the current tick has integrated.
    private var tickStart: Int64 = 0
    private var current = Channels()
    private var sum = Channels()
    /// The end of the segment being integrated.
    private var targetTime: Int64 = 0
    private var target = Channels()
    private var lastHeard: (acceleration: Int64, angularVelocity: Int64, magneticField: Int64) = (-1, -1, -1)
    private var liveSensors: SensorSet = []

    struct Channels {
        var acceleration = SIMD4<Float>.zero
        var angularVelocity = SIMD4<Float>.zero
        var magneticField = SIMD4<Float>.zero

        mutating func transfer(_ coder: inout some StateCoder) {
            coder.code(&acceleration)
            coder.code(&angularVelocity)
            coder.code(&magneticField)
        }
    }

    /// Whether this sample comes after so long a silence that the signal ends before it.
    func isGap(before timeMicroseconds: Int64) -> Bool {
        isArmed && timeMicroseconds - time > Self.gapMicroseconds
    }

    /// The UTC time until which signal has been seen, or nil before the first sample.
    var signalEndMicroseconds: Int64? { isArmed ? time : nil }

    /// Forgets the signal: the next sample starts it anew.
    mutating func disarm() {
        isArmed = false
        sum = Channels()
        lastHeard = (-1, -1, -1)
        liveSensors = []
    }

    /// Few devices measure the field: what is not heard needs no work.
    private var hasField: Bool { liveSensors.contains(.magneticField) }

    /// Takes a sample as the end of the segment that ``nextTick()`` integrates.
    @inline(__always)
    mutating func accept(_ sample: MotionSample) {
        let now = sample.timeMicroseconds
        if !isArmed {
            arm(at: now)
        }
        if sample.sensors.contains(.acceleration) {
            let isNew = lastHeard.acceleration < 0
            lastHeard.acceleration = now
            let square = (sample.acceleration * sample.acceleration).sum()
            target.acceleration = SIMD4(sample.acceleration, square.squareRoot())
            if isNew { current.acceleration = target.acceleration }
        }
        if sample.sensors.contains(.angularVelocity) {
            let isNew = lastHeard.angularVelocity < 0
            lastHeard.angularVelocity = now
            target.angularVelocity = SIMD4(sample.angularVelocity, 0)
            if isNew { current.angularVelocity = target.angularVelocity }
        }
        if sample.sensors.contains(.magneticField) {
            let isNew = lastHeard.magneticField < 0
            lastHeard.magneticField = now
            target.magneticField = SIMD4(sample.magneticField, 0)
            if isNew { current.magneticField = target.magneticField }
        }
        targetTime = now
        liveSensors.formUnion(sample.sensors)
    }

    private mutating func arm(at now: Int64) {
        isArmed = true
        time = now
        tickStart = now
        current = Channels()
        target = Channels()
    }

    /// The next whole tick before the newest sample, or nil when there is none yet.
    @inline(__always)
    mutating func nextTick() -> Tick? {
        let index = time / Tick.microseconds
        let tickEnd = (index + 1) * Tick.microseconds
        guard tickEnd <= targetTime else {
            integrate(to: targetTime, target)
            return nil
        }
        let fraction = Float(tickEnd - time) / Float(max(targetTime - time, 1))
        var atEnd = current
        atEnd.acceleration += (target.acceleration - current.acceleration) * fraction
        atEnd.angularVelocity += (target.angularVelocity - current.angularVelocity) * fraction
        if hasField {
            atEnd.magneticField += (target.magneticField - current.magneticField) * fraction
        }
        integrate(to: tickEnd, atEnd)
        return dump(index: index)
    }

    @inline(__always)
    private mutating func integrate(to end: Int64, _ value: Channels) {
        let weight = Float(end - time) * 0.5
        sum.acceleration += (current.acceleration + value.acceleration) * weight
        sum.angularVelocity += (current.angularVelocity + value.angularVelocity) * weight
        if hasField {
            sum.magneticField += (current.magneticField + value.magneticField) * weight
        }
        current = value
        time = end
    }

    private mutating func dump(index: Int64) -> Tick {
        let scale = 1 / Float(max(time - tickStart, 1))
        if lastHeard.acceleration >= 0, time - lastHeard.acceleration > Self.sensorTimeoutMicroseconds {
            liveSensors.remove(.acceleration)
            lastHeard.acceleration = -1
        }
        if lastHeard.angularVelocity >= 0, time - lastHeard.angularVelocity > Self.sensorTimeoutMicroseconds {
            liveSensors.remove(.angularVelocity)
            lastHeard.angularVelocity = -1
        }
        if lastHeard.magneticField >= 0, time - lastHeard.magneticField > Self.sensorTimeoutMicroseconds {
            liveSensors.remove(.magneticField)
            lastHeard.magneticField = -1
        }
        let tick = Tick(
            index: index, acceleration: sum.acceleration * scale, angularVelocity: sum.angularVelocity * scale,
            magneticField: sum.magneticField * scale, sensors: liveSensors)
        sum = Channels()
        tickStart = time
        return tick
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isArmed)
        coder.code(time: &time)
        coder.code(time: &tickStart)
        current.transfer(&coder)
        sum.transfer(&coder)
        coder.code(time: &targetTime)
        target.transfer(&coder)
        coder.code(time: &lastHeard.acceleration)
        coder.code(time: &lastHeard.angularVelocity)
        coder.code(time: &lastHeard.magneticField)
        coder.code(&liveSensors)
    }
}
