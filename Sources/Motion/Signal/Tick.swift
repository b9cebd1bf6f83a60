internal import CMotion

/// The mean of the signal over one tick of 40 ms. Ticks and their blocks begin with the signal, so that the moment in
/// which it began changes no count.
struct Tick {
    static let rateHz = 25
    static let microseconds = Int64(CMotionTickMicroseconds)
    static let seconds: Float = 0.04

    /// The number since 1970 of the 40 ms that it lies in, to half a tick.
    var index: Int64 = 0
    /// Its place, 0…9, in its block.
    var place = 0
    /// x, y, z in m/s² (or the unit that arrives) and |a| taken from the raw samples.
    var acceleration = SIMD4<Float>.zero
    /// x, y, z in rad/s.
    var angularVelocity = SIMD4<Float>.zero
    /// x, y, z in µT.
    var magneticField = SIMD4<Float>.zero
    /// The sensors that send.
    var sensors: SensorSet = []
    /// The rate of samples.
    var rate = SampleRateEstimator()

    /// Where loops in C find them.
    static let accelerationOffset = MemoryLayout<Tick>.offset(of: \.acceleration) ?? 0
    static let angularVelocityOffset = MemoryLayout<Tick>.offset(of: \.angularVelocity) ?? 0

    /// The most ticks in one batch: from one evaluation to the next, 0.4 s.
    static let mostAtOnce = CMotionBlockTicks

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

    /// Integrates a line to its end, or to the end of the current tick where that is sooner, and then writes the tick but for
    /// its sensors and rate. Differences of times cannot overflow: the guard lets through 0 to 2^53.
    mutating func integrate(to end: Int64, _ values: Channels, hasField: Bool, _ tick: inout Tick) {
        var values = values
        withUnsafeMutableBytes(of: &values) { values in
            withUnsafeMutableBytes(of: &tick) { tick in
                lend { line in
                    _ = motion_integrate(
                        line, values.baseAddress?.assumingMemoryBound(to: Float.self), hasField ? 1 : 0, end,
                        tick.baseAddress?.assumingMemoryBound(to: motion_tick.self), 1)
                }
            }
        }
    }

    /// Follows samples of these sensors, as `motion_follow` does.
    mutating func follow(
        _ samples: UnsafeBufferPointer<MotionSample>, _ sensors: SensorSet, _ rate: inout SampleRateEstimator,
        _ ticks: UnsafeMutableBufferPointer<Tick>, wanted: Int, _ run: inout motion_run
    ) {
        withUnsafeMutableBytes(of: &rate) { rate in
            lend { line in
                motion_follow(
                    UnsafeRawPointer(samples.baseAddress)?.assumingMemoryBound(to: motion_sample.self), samples.count,
                    sensors.rawValue, wanted, line, rate.baseAddress?.assumingMemoryBound(to: motion_rate.self),
                    UnsafeMutableRawPointer(ticks.baseAddress)?.assumingMemoryBound(to: motion_tick.self), &run)
            }
        }
    }

    /// Lends the line to loops in C.
    private mutating func lend(_ body: (UnsafeMutablePointer<motion_line>?) -> Void) {
        withUnsafeMutableBytes(of: &self) { body($0.baseAddress?.assumingMemoryBound(to: motion_line.self)) }
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
    /// Takes the values of a sample's sensors, and keeps those of the others.
    mutating func follow(_ sample: MotionSample, _ sensors: SensorSet) {
        if sensors.contains(.acceleration) {
            acceleration = SIMD4(sample.acceleration, sample.acceleration.squareSum.squareRoot())
        }
        if sensors.contains(.angularVelocity) { angularVelocity = SIMD4(sample.angularVelocity, 0) }
        if sensors.contains(.magneticField) { magneticField = SIMD4(sample.magneticField, 0) }
    }
}
