/// Turns samples at any rate into ticks: each tick is the integral of the line through the samples over 40 ms, divided by
/// 40 ms. That is interpolation for slow signals and an anti-aliasing mean for fast ones, and jitter does not matter.
struct Resampler {
    /// A longer silence than this ends the signal; the next sample starts it anew.
    static let gapMicroseconds: Int64 = 1_000_000
    /// A sensor not heard for this long counts as absent.
    static let sensorTimeoutMicroseconds: Int64 = 1_000_000

    private(set) var isArmed = false
    /// How far the signal has been integrated.
    private var time: Int64 = 0
    /// The start of what the current tick has integrated.
    private var tickStart: Int64 = 0
    /// The current tick, and its end.
    private var tickIndex: Int64 = 0
    private var tickEnd: Int64 = 0
    private var current = Channels()
    private var sum = Channels()
    /// The end of the segment being integrated.
    private var targetTime: Int64 = 0
    private var target = Channels()
    private var lastHeard: (acceleration: Int64, angularVelocity: Int64, magneticField: Int64) = (-1, -1, -1)
    private var liveSensors: SensorSet = []
    /// Those of the newest sample.
    private var newestSensors: SensorSet = []

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

    /// Takes a sample as the end of the segment that ``tick()`` and ``rest()`` integrate.
    @inline(__always)
    mutating func accept(_ sample: MotionSample) {
        let now = sample.timeMicroseconds
        if !isArmed {
            arm(at: now)
        }
        if sample.sensors.contains(.acceleration) {
            lastHeard.acceleration = now
            let square = (sample.acceleration * sample.acceleration).sum()
            target.acceleration = SIMD4(sample.acceleration, square.squareRoot())
        }
        if sample.sensors.contains(.angularVelocity) {
            lastHeard.angularVelocity = now
            target.angularVelocity = SIMD4(sample.angularVelocity, 0)
        }
        if sample.sensors.contains(.magneticField) {
            lastHeard.magneticField = now
            target.magneticField = SIMD4(sample.magneticField, 0)
        }
        targetTime = now
        newestSensors = sample.sensors
        if !liveSensors.isSuperset(of: sample.sensors) {
            welcome(sample.sensors)
        }
    }

    /// Begins the signal of sensors that were not heard of late with what they say now.
    private mutating func welcome(_ sensors: SensorSet) {
        let new = sensors.subtracting(liveSensors)
        if new.contains(.acceleration) { current.acceleration = target.acceleration }
        if new.contains(.angularVelocity) { current.angularVelocity = target.angularVelocity }
        if new.contains(.magneticField) { current.magneticField = target.magneticField }
        liveSensors.formUnion(new)
    }

    private mutating func arm(at now: Int64) {
        isArmed = true
        time = now
        tickStart = now
        followTime()
        current = Channels()
        target = Channels()
    }

    private mutating func followTime() {
        tickIndex = time / Tick.microseconds
        tickEnd = (tickIndex + 1) * Tick.microseconds
    }

    /// Whether a tick ends before the newest sample or with it.
    var isTickDue: Bool {
        @inline(__always) get { tickEnd <= targetTime }
    }

    /// The next whole tick before the newest sample, when one is due.
    @inline(__always)
    mutating func tick() -> Tick {
        let fraction = Float(tickEnd - time) / Float(max(targetTime - time, 1))
        var atEnd = current
        atEnd.acceleration += (target.acceleration - current.acceleration) * fraction
        atEnd.angularVelocity += (target.angularVelocity - current.angularVelocity) * fraction
        if hasField {
            atEnd.magneticField += (target.magneticField - current.magneticField) * fraction
        }
        integrate(to: tickEnd, atEnd)
        return dump()
    }

    /// Integrates what is left of the segment after its last whole tick.
    @inline(__always)
    mutating func rest() {
        integrate(to: targetTime, target)
    }

    @inline(__always)
    private mutating func integrate(to end: Int64, _ value: Channels) {
        let weight = Float(end - time) * 0.5
        sum.acceleration += (current.acceleration + value.acceleration) * weight
        sum.angularVelocity += (current.angularVelocity + value.angularVelocity) * weight
        if hasField {
            sum.magneticField += (current.magneticField + value.magneticField) * weight
            current.magneticField = value.magneticField
        }
        current.acceleration = value.acceleration
        current.angularVelocity = value.angularVelocity
        time = end
    }

    @inline(__always)
    private mutating func dump() -> Tick {
        if newestSensors != liveSensors { forgetSilentSensors() }
        let scale = 1 / Float(max(time - tickStart, 1))
        let tick = Tick(
            index: tickIndex, acceleration: sum.acceleration * scale, angularVelocity: sum.angularVelocity * scale,
            magneticField: sum.magneticField * scale, sensors: liveSensors)
        sum = Channels()
        tickStart = time
        tickIndex += 1
        tickEnd += Tick.microseconds
        return tick
    }

    @inline(never)
    private mutating func forgetSilentSensors() {
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
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isArmed)
        coder.code(time: &time)
        followTime()
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
