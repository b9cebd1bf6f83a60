/// The mean of the signal over one tick of the common 25 Hz grid, which is aligned to whole UTC seconds.
struct Tick {
    static let rateHz = 25
    static let microseconds: Int64 = 40_000
    static let seconds: Float = 0.04

    /// The number of the tick since 1970.
    var index: Int64
    /// x, y, z in m/s² (or the unit that arrives) and |a| taken from the raw samples.
    var acceleration: SIMD4<Float>
    /// x, y, z in rad/s.
    var angularVelocity: SIMD4<Float>
    /// x, y, z in µT.
    var magneticField: SIMD4<Float>
    /// The sensors that were alive.
    var sensors: SensorSet
    /// How often samples came.
    var rate: SampleRateEstimator

    /// The most ticks that are worked on at once: those of 0.4 s, from one evaluation to the next.
    static let mostAtOnce = 10

    /// How many ticks from one on can be worked on before the counters look at them: at every tenth.
    @inline(__always)
    static func countAtOnce(from index: Int64) -> Int {
        let place = Int(truncatingIfNeeded: index % Int64(mostAtOnce))
        return place == 0 ? 1 : mostAtOnce - place + 1
    }

    /// The UTC time at the end of the tick with this number.
    static func endMicroseconds(ofTick index: Int64) -> Int64 {
        (index + 1) * microseconds
    }
}

/// What the filters made of a tick. It waits for the next stage of the work, which goes through some ticks at once, so
/// that each stage keeps its own state in registers. Those of an evaluation must fit 1 KiB.
struct FilteredTick {
    /// Filtered acceleration with |a|, and angular velocity.
    var moved: SIMD4<Float>
    var turned: SIMD4<Float>
    /// Filtered magnetic field.
    var magnetic: SIMD4<Float>
    /// Their squares, by ``SignalEnergies/Lane``.
    var squares: SIMD4<Float>
}

/// The integral of the line through a signal's samples, one tick of 40 ms after the other.
struct TickIntegrator {
    /// How far the signal has been integrated.
    private(set) var time: Int64 = 0
    /// The start of what the current tick has integrated.
    private var tickStart: Int64 = 0
    /// The current tick, and its end.
    private(set) var tickIndex: Int64 = 0
    private var tickEnd: Int64 = 0
    /// What the line says there.
    private(set) var current = Channels()
    private var sum = Channels()

    /// What the sensors say at one time.
    struct Channels {
        /// x, y, z and |a|.
        var acceleration = SIMD4<Float>.zero
        var angularVelocity = SIMD4<Float>.zero
        var magneticField = SIMD4<Float>.zero

        mutating func transfer(_ coder: inout some StateCoder) {
            coder.code(&acceleration)
            coder.code(&angularVelocity)
            coder.code(&magneticField)
        }
    }

    /// Begins at the time of a first sample.
    mutating func begin(at now: Int64) {
        time = now
        tickStart = now
        followTime()
        current = Channels()
    }

    /// Begins the signal of some sensors with what they say now.
    mutating func welcome(_ new: SensorSet, _ channels: Channels) {
        if new.contains(.acceleration) { current.acceleration = channels.acceleration }
        if new.contains(.angularVelocity) { current.angularVelocity = channels.angularVelocity }
        if new.contains(.magneticField) { current.magneticField = channels.magneticField }
    }

    /// Forgets what the current tick has integrated.
    mutating func forgetSum() {
        sum = Channels()
    }

    private mutating func followTime() {
        tickIndex = time / Tick.microseconds
        tickEnd = (tickIndex + 1) * Tick.microseconds
    }

    /// Whether the current tick ends before a time or with it.
    @inline(__always)
    func isTickDue(by end: Int64) -> Bool { tickEnd <= end }

    /// Integrates a line to the end of the current tick, which comes before the line's end or with it. Few devices
    /// measure the field: what is not heard needs no work.
    @inline(__always)
    mutating func finishTick(towards target: Channels, at end: Int64, hasField: Bool) {
        let fraction = Float(tickEnd &- time) / Float(max(end &- time, 1))
        var atEnd = current
        atEnd.acceleration += (target.acceleration - current.acceleration) * fraction
        atEnd.angularVelocity += (target.angularVelocity - current.angularVelocity) * fraction
        if hasField {
            atEnd.magneticField += (target.magneticField - current.magneticField) * fraction
        }
        integrate(to: tickEnd, atEnd, hasField: hasField)
    }

    /// Integrates a line to its end, within the current tick. Times are from 0 to 2^53, because the guard lets no
    /// others through: their differences cannot overflow.
    @inline(__always)
    mutating func integrate(to end: Int64, _ value: Channels, hasField: Bool) {
        let weight = Float(end &- time) * 0.5
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

    /// The finished tick.
    @inline(__always)
    mutating func takeTick(sensors: SensorSet, hasField: Bool, rate: SampleRateEstimator) -> Tick {
        let scale = 1 / Float(max(time &- tickStart, 1))
        let tick = Tick(
            index: tickIndex, acceleration: sum.acceleration * scale, angularVelocity: sum.angularVelocity * scale,
            magneticField: hasField ? sum.magneticField * scale : .zero, sensors: sensors, rate: rate)
        sum = Channels()
        tickStart = time
        tickIndex &+= 1
        tickEnd &+= Tick.microseconds
        return tick
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(time: &time)
        followTime()
        coder.code(time: &tickStart)
        current.transfer(&coder)
        sum.transfer(&coder)
    }
}

extension TickIntegrator.Channels {
    /// Sets what a sample's sensors say, and keeps what the others said. False where that is out of range.
    @inline(__always)
    mutating func follow(_ sample: MotionSample, _ sensors: SensorSet) -> Bool {
        var isInRange = true
        if sensors.contains(.acceleration) {
            let square = sample.acceleration.squareSum
            isInRange = SampleGuard.isPlain(square: square, SampleGuard.accelerationLimit)
            acceleration = SIMD4(sample.acceleration, square.squareRoot())
        }
        if sensors.contains(.angularVelocity) {
            let square = sample.angularVelocity.squareSum
            isInRange = isInRange && SampleGuard.isPlain(square: square, SampleGuard.angularVelocityLimit)
            angularVelocity = SIMD4(sample.angularVelocity, 0)
        }
        if sensors.contains(.magneticField) {
            let square = sample.magneticField.squareSum
            isInRange = isInRange && SampleGuard.isPlain(square: square, SampleGuard.magneticFieldLimit)
            magneticField = SIMD4(sample.magneticField, 0)
        }
        return isInRange
    }
}
