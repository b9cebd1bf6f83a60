/// What a slow sensor leaves out. A watch that sends 12 samples a second has often low-passed them at 2 or 3 Hz before: what
/// it sends is smoother and weaker than the movement, and the same walk looks like something else.
///
/// How sharp its movement ever is, is a property of the device, and outlives the signal. As far as that is less than of
/// others, the levels of a moment are raised to what others would have.
struct SlowSensor {
    /// The longest time between samples of a sensor that is believed as it is, s: 18 Hz.
    static let longestInterval: Float = 1 / 18
    /// The envelope relative to |a|, as a logarithm, that the sharp moments of others reach, and where a new device begins.
    static let usual: Float = -1.6
    /// The gains by which it follows a sharper moment and a duller one, of 0.4 s.
    static let rise: Float = 0.1
    static let fall: Float = 0.005
    /// What a moment of a walk has at least: the logarithm of |a| in m/s², and of |a| relative to the vector. Slow exercises
    /// of an arm are dull in any sensor.
    static let leastMovement: Float = 0.1
    static let leastShare: Float = -0.85
    /// By how much levels are raised for each unit that is missing, as watches at 25 Hz lose it by a low-pass at 2.2 to 3 Hz:
    /// movement, jerk of |a|, jerk of the vector, envelope.
    static let movement: Float = 0.6
    static let normJerk: Float = 0.8
    static let vectorJerk: Float = 0.9
    static let envelope: Float = 1.15

    /// The jerk of the vector, as a logarithm, of the sharpest moments in a hundred: behind a low-pass at 1.8 Hz they have less.
    static let leastChange: Float = -0.7
    /// The gain by which it falls: a watch is dull after some minutes of walking.
    static let changeFall: Float = 0.0005

    private var sharpness = usual
    private var change: Float = -0.3
    private var sampleSeconds: Float = 0

    /// True where the low-pass leaves so little of the movement that many steps are lost.
    var isDull: Bool { sampleSeconds > Self.longestInterval && change < Self.leastChange }

    /// Takes the mean time between samples.
    mutating func push(sampleSeconds: Float) { self.sampleSeconds = sampleSeconds }

    /// Raises the levels of a moment, as ``MotionFeatures`` has them, where the sensor is slow and dull.
    mutating func correct(_ levels: UnsafeMutablePointer<Float>) {
        func level(_ level: MotionFeatures.Level) -> Float { levels[level.rawValue] }
        guard sampleSeconds > Self.longestInterval, level(.norm4s) > Self.leastMovement,
            level(.normShare) > Self.leastShare
        else { return }
        let newest = level(.envelope)
        sharpness += (newest - sharpness) * (newest > sharpness ? Self.rise : Self.fall)
        let changed = level(.vectorJerk)
        change += (changed - change) * (changed > change ? Self.rise : Self.changeFall)
        let missing = max(Self.usual - sharpness, 0)
        func raise(_ level: MotionFeatures.Level, _ share: Float) { levels[level.rawValue] += share * missing }
        for level in [MotionFeatures.Level.norm1s, .norm4s, .vector1s, .vector4s] { raise(level, Self.movement) }
        raise(.normJerk, Self.normJerk)
        raise(.vectorJerk, Self.vectorJerk)
        raise(.envelope, Self.envelope)
    }
}
