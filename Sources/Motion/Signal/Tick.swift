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
