/// The mean of the signal over one tick of 40 ms. Ticks and their blocks begin with the signal, so that the moment in
/// which it began changes no count.
struct Tick {
    static let rateHz = 25
    static let microseconds: Int64 = 40_000
    static let seconds: Float = 0.04

    /// The number since 1970 of the 40 ms that it lies in, to half a tick.
    var index: Int64
    /// Its place, 0…9, in its block.
    var place: Int
    /// x, y, z in m/s² (or the unit that arrives) and |a| taken from the raw samples.
    var acceleration: SIMD4<Float>
    /// x, y, z in rad/s.
    var angularVelocity: SIMD4<Float>
    /// x, y, z in µT.
    var magneticField: SIMD4<Float>
    /// The sensors that send.
    var sensors: SensorSet
    /// The rate of samples.
    var rate: SampleRateEstimator

    /// Where loops in C find them.
    static let accelerationOffset = MemoryLayout<Tick>.offset(of: \.acceleration) ?? 0
    static let angularVelocityOffset = MemoryLayout<Tick>.offset(of: \.angularVelocity) ?? 0

    /// The most ticks in one batch: from one evaluation to the next, 0.4 s.
    static let mostAtOnce = 10

    /// Whether an evaluation follows.
    @inline(__always)
    var isLastOfBlock: Bool { place == Self.mostAtOnce - 1 }

    /// The end of a tick, UTC µs.
    static func endMicroseconds(ofTick index: Int64) -> Int64 {
        (index + 1) * microseconds
    }
}

/// Integrates the line through a signal's samples, tick by tick of 40 ms.
struct TickIntegrator {
    /// The time until which the signal has been integrated, UTC µs.
    private(set) var time: Int64 = 0
    /// The start of the integral of the current tick, UTC µs.
    private var tickStart: Int64 = 0
    /// The current tick, and its end.
    private(set) var tickIndex: Int64 = 0
    private var tickEnd: Int64 = 0
    /// The current tick's place in its block.
    private(set) var place = 0
    /// The values of the line at ``time``.
    private(set) var current = Channels()
    private var sum = Channels()

    /// The values of the sensors at one time.
    struct Channels {
        /// x, y, z and |a|.
        var acceleration = SIMD4<Float>.zero
        var angularVelocity = SIMD4<Float>.zero
        var magneticField = SIMD4<Float>.zero
    }

    /// Begins at the time of a first sample.
    mutating func begin(at now: Int64, place: Int) {
        time = now
        tickStart = now
        placeTick()
        self.place = place
        current = Channels()
    }

    /// Begins the signals of sensors that are new.
    mutating func welcome(_ new: SensorSet, _ channels: Channels) {
        if new.contains(.acceleration) { current.acceleration = channels.acceleration }
        if new.contains(.angularVelocity) { current.angularVelocity = channels.angularVelocity }
        if new.contains(.magneticField) { current.magneticField = channels.magneticField }
    }

    /// Forgets the integral of the current tick.
    mutating func forgetSum() {
        sum = Channels()
    }

    private mutating func placeTick() {
        tickIndex = (tickStart + Tick.microseconds / 2) / Tick.microseconds
        tickEnd = tickStart + Tick.microseconds
    }

    /// Whether the current tick ends at a time or before.
    @inline(__always)
    func isTickDue(by end: Int64) -> Bool { tickEnd <= end }

    /// Integrates a line to the end of the current tick, which is not after the line's end.
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

    /// Integrates a line to its end, within the current tick. Differences of times cannot overflow: the guard lets
    /// through 0 to 2^53.
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
    mutating func nextTick(sensors: SensorSet, hasField: Bool, rate: SampleRateEstimator) -> Tick {
        let scale = 1 / Float(max(time &- tickStart, 1))
        let tick = Tick(
            index: tickIndex, place: place, acceleration: sum.acceleration * scale,
            angularVelocity: sum.angularVelocity * scale,
            magneticField: hasField ? sum.magneticField * scale : .zero, sensors: sensors, rate: rate)
        sum = Channels()
        tickStart = time
        tickIndex &+= 1
        tickEnd &+= Tick.microseconds
        place = tick.isLastOfBlock ? 0 : place &+ 1
        return tick
    }

    /// ``time`` with the start of the current tick where its number has it, to half a tick, as all ticks before it.
    var numberedTime: Int64 { Tick.endMicroseconds(ofTick: tickIndex - 1) + time - tickStart }

    /// The last tick of the block that has begun, or of the last one.
    var endOfBlock: Int64 { tickIndex - 1 + Int64(place == 0 ? 0 : Tick.mostAtOnce - place) }

    /// Whether a restored integrator lies on the line of ticks.
    var isSound: Bool {
        place < Tick.mostAtOnce && tickIndex <= SampleGuard.latestMicroseconds / Tick.microseconds + 1
    }
}

extension TickIntegrator.Channels {
    /// Takes the values of a sample's sensors, and keeps those of the others. False where one is out of range.
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
