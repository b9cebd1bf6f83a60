#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Decides whether a sensor of which nothing was told sits on a bike's frame or on a person.
///
/// A body that walks rises and falls by centimetres with each step, a frame shakes by a millimetre where the feet push:
/// the change of |a| over the square of its rate tells them apart. A frame hardly turns, a limb turns by tenths of a
/// radian a second; and a frame keeps its attitude, which arms do not. What these say is gathered as the logarithm of
/// odds while something repeats itself, so that it takes some seconds to decide, and as long to decide otherwise; but
/// who takes a phone out of its holder tilts it, and all is open again.
struct MountClassifier {
    /// Whether the sensor is taken to be on a frame.
    private(set) var isOnFrame = false
    /// The natural logarithm of the odds for that.
    private(set) var odds: Float = 0
    private var attitude = SIMD4<Float>.zero
    private var tiltSquare: Float = 0
    private var hasAttitude = false
    /// When nothing moved last, UTC µs, as long as it is no frame: what moved since then may be what a frame's pedals did.
    private(set) var restedMicroseconds: Int64 = 0

    /// Whether it is likelier a frame, so that no steps are counted until it is clear.
    var leansToFrame: Bool { odds > Self.leaning }

    /// Follows the attitude: takes the slow mean of the acceleration, m/s².
    mutating func follow(gravity: SIMD4<Float>) {
        guard hasAttitude else {
            (attitude, tiltSquare, hasAttitude) = (gravity, 0, true)
            return
        }
        let away = gravity - attitude
        let square = away.axesSquareSum / (UnitDetector.standardGravity * UnitDetector.standardGravity)
        attitude += away * Self.attitudeGain
        tiltSquare += (square - tiltSquare) * Self.attitudeGain
        if isOnFrame, square > Self.takenTilt * Self.takenTilt { (isOnFrame, odds) = (false, 0) }
    }

    /// Takes how fast the sensor goes on turning the same way, rad/s. False where that says nothing.
    mutating func take(spin: Float) -> Bool {
        guard spin > Self.leastSpin else { return false }
        // Gravity goes round with it.
        hasAttitude = false
        gather(Self.oddsOfSpin)
        return true
    }

    /// Takes what moves, and its rhythm; before anything is decided, or on a person.
    mutating func take(_ features: SignalFeatures, rhythm: Rhythm) {
        if features.shortVectorDeviation <= Self.leastMovement { restedMicroseconds = features.timeMicroseconds }
        guard features.vectorDeviation > Self.leastMovement,
            rhythm.strength > Self.leastStrength * features.similarityShare
        else { return }
        gather(oddsOfSigns(features) + oddsOfRise(features, rhythm.rateHz) + oddsOfMachine(rhythm))
    }

    /// What it says whether the whole movement repeats itself as |a| does.
    private func oddsOfMachine(_ rhythm: Rhythm) -> Float {
        guard rhythm.strength > Self.clearStrength else { return 0 }
        let odds = Self.machineSlope * (rhythm.wholeStrength / rhythm.strength - Self.machineShare)
        return min(max(odds, -Self.mostOfMachine), Self.mostOfMachine)
    }

    /// The rate at which |a| repeats itself, Hz, how clearly it does, and how clearly the whole movement does then.
    struct Rhythm {
        var rateHz: Float = 0
        var strength: Float = 0
        var wholeStrength: Float = 0
    }

    /// Takes what moves a frame, and the rate at which it is moved where a turning crank is found, Hz; 0 where none is.
    mutating func take(_ features: SignalFeatures, lineRate: Float) {
        guard features.vectorDeviation > Self.leastMovement else { return }
        let turning = lineRate > 0 ? min(oddsOfRise(features, lineRate), 0) + Self.oddsOfTurning : 0
        gather(oddsOfSigns(features) + turning)
    }

    private mutating func gather(_ said: Float) {
        odds = min(max(odds + Self.gain * said, -Self.most), Self.most)
        if isOnFrame ? odds < -Self.decided : odds > Self.decided { isOnFrame.toggle() }
    }

    private func oddsOfSigns(_ features: SignalFeatures) -> Float {
        var said: Float = 0
        if features.sensors.contains(.angularVelocity) {
            let turning = max(features.turningDeviation, RevolutionThresholds.turningFloor)
            said += Self.limited(Self.turningSlope * log(Self.evenTurning / turning))
        }
        let tilt = max(tiltSquare, 0).squareRoot()
        let share = tilt * UnitDetector.standardGravity / max(features.vectorDeviation, Self.leastMovement)
        let tiltOdds = min(log(Self.mostTilt / max(tilt, 0.001)), log(Self.mostTiltShare / max(share, 0.001)))
        said += min(Self.limited(2 * tiltOdds), 0)
        said += min(max(log(Self.leastTilt / max(tilt, 0.001)), 0), Self.mostOfStillness)
        return said + min(Self.limited(log(Self.mostMovement / features.vectorDeviation)), 0)
    }

    private func oddsOfRise(_ features: SignalFeatures, _ normRate: Float) -> Float {
        guard normRate > 0, features.normDeviation > 0 else { return 0 }
        let rise = features.normDeviation / (normRate * normRate)
        return Self.limited(Self.riseSlope * log(Self.evenRise / rise))
    }

    private static func limited(_ odds: Float) -> Float {
        min(max(odds, -mostOfSign), mostOfSign)
    }

    /// The signal ends here: the attitude may be another when it goes on.
    mutating func pause() {
        hasAttitude = false
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOnFrame)
        coder.code(&odds, in: -Self.most...Self.most)
        coder.code(&attitude)
        coder.code(&tiltSquare)
        coder.code(&hasAttitude)
        coder.code(time: &restedMicroseconds)
    }
}
