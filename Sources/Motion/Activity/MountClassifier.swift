#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Decides whether an undescribed sensor sits on a bike's frame or on a person, by a sequential sum of log odds.
///
/// A walking body rises and falls by centimetres with each step, a frame shakes by a millimetre with each push: the deviation
/// of |a| over the square of its rate, an amplitude, tells them apart. A frame hardly turns, a limb turns by tenths of a
/// radian a second. A frame keeps its attitude, arms do not. Log odds are summed while there is a rhythm, so that a decision
/// takes seconds, and its reversal as long. A phone that is taken out of its holder is tilted: then all is open.
struct MountClassifier {
    /// The weight of an evaluation, because the windows of five overlap, and the limit of the log odds.
    static let gain: Float = 0.2
    static let most: Float = 6
    /// Log odds that decide for a frame, or against it (20 to 1), and from which on no steps are counted (3 to 1).
    static let decided: Float = 3
    static let leaning: Float = 1.1
    /// The limit of the log odds of one sign.
    static let mostOfSign: Float = 2
    /// The deviation of |a| over the square of its rate at even odds, m/s² · s²: nine in ten seconds of recorded walks
    /// have more than 0.24, of simulated bikes less than 0.2. Log odds grow by ``riseSlope`` with its logarithm.
    static let evenRise: Float = 0.2
    static let riseSlope: Float = 1.5
    /// The angular velocity at even odds, rad/s: hips of simulated walkers and hands on recorded handlebars have more
    /// than 0.14, limbs far more, simulated frames less than 0.07.
    static let evenTurning: Float = 0.1
    static let turningSlope: Float = 2
    /// The highest tilt of a frame, rad. Also its ``mostTiltShare``, relative to what movement could feign, and its
    /// ``mostMovement``, m/s².
    static let mostTilt: Float = 0.08
    /// Below this tilt, rad, are hardly any walkers, and nine in ten moments of simulated frames with a clear signal.
    static let leastTilt: Float = 0.025
    static let mostOfStillness: Float = 0.5
    /// The ratio of the similarity of the vector to that of |a| at even odds: a machine moves as a whole, a walker
    /// sways once a stride, and has up to 0.86.
    static let machineShare: Float = 0.88
    static let machineSlope: Float = 10
    static let mostOfMachine: Float = 1
    static let mostTiltShare: Float = 1
    static let mostMovement: Float = 2.5
    /// The tilt of a phone that is taken out of its holder, rad.
    static let takenTilt: Float = 0.3
    /// The gain of the attitude: 8 s.
    static let attitudeGain: Float = 0.05
    /// The least movement, m/s², and similarity for evidence, and the least clear similarity.
    static let leastMovement: Float = 0.06
    static let leastStrength: Float = 0.45
    static let clearStrength: Float = 0.65
    /// The least mean angular velocity of a sensor on a crank, rad/s: 13 rpm. Its log odds decide within three seconds.
    static let leastSpin: Float = 1.4
    static let oddsOfSpin: Float = 2
    /// The log odds of a turning crank that was found on a frame.
    static let oddsOfTurning: Float = 0.5

    /// The decision: on a frame.
    private(set) var isOnFrame = false
    /// The log odds of a frame.
    private(set) var odds: Float = 0
    private var attitude = SIMD4<Float>.zero
    private var tiltSquare: Float = 0
    private var hasAttitude = false
    /// When the movement began that may turn out to be pedalling: the end of the last rest or of what a person did, or the
    /// beginning of the signal, UTC µs; 0 on a frame, and before the first evaluation.
    private(set) var begunMicroseconds: Int64 = 0

    /// Whether a frame is likelier, so that no steps are counted until the decision.
    var leansToFrame: Bool { odds > Self.leaning }

    /// Follows the attitude by the slow mean of the acceleration, m/s².
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

    /// Takes the slow mean of the angular velocity, rad/s. False where it is no evidence.
    mutating func take(spin: Float) -> Bool {
        guard spin > Self.leastSpin else { return false }
        // Gravity rotates in the sensor: there is no attitude.
        hasAttitude = false
        gather(Self.oddsOfSpin)
        return true
    }

    /// Notes when the movement began.
    mutating func noteBeginning(_ features: SignalFeatures) {
        if isOnFrame {
            begunMicroseconds = 0
        } else if features.shortVectorDeviation <= Self.leastMovement || odds < 0 {
            begunMicroseconds = features.timeMicroseconds
        } else if begunMicroseconds == 0 {
            begunMicroseconds = features.timeMicroseconds - RevolutionThresholds.evaluationMicroseconds
        }
    }

    /// Takes the movement and its rhythm, before a decision or on a person.
    mutating func take(_ features: SignalFeatures, rhythm: Rhythm) {
        guard features.vectorDeviation > Self.leastMovement,
            rhythm.strength > Self.leastStrength * features.similarityShare
        else { return }
        gather(oddsOfSigns(features) + oddsOfRise(features, rhythm.rateHz) + oddsOfMachine(rhythm))
    }

    /// Log odds from whether the whole movement has the period of |a|.
    private func oddsOfMachine(_ rhythm: Rhythm) -> Float {
        guard rhythm.strength > Self.clearStrength else { return 0 }
        let odds = Self.machineSlope * (rhythm.wholeStrength / rhythm.strength - Self.machineShare)
        return min(max(odds, -Self.mostOfMachine), Self.mostOfMachine)
    }

    /// The rate of the rhythm of |a|, Hz, its similarity, and that of the acceleration vector at the same period.
    struct Rhythm {
        var rateHz: Float = 0
        var strength: Float = 0
        var wholeStrength: Float = 0
    }

    /// Takes the movement of a frame.
    /// - Parameter lineRate: The rate of the found line, Hz; 0 for none.
    mutating func take(_ features: SignalFeatures, lineRate: Float) {
        guard features.vectorDeviation > Self.leastMovement else { return }
        let turning = lineRate > 0 ? min(oddsOfRise(features, lineRate), 0) + Self.oddsOfTurning : 0
        gather(oddsOfSigns(features) + turning)
    }

    private mutating func gather(_ more: Float) {
        odds = min(max(odds + Self.gain * more, -Self.most), Self.most)
        if isOnFrame ? odds < -Self.decided : odds > Self.decided { isOnFrame.toggle() }
    }

    private func oddsOfSigns(_ features: SignalFeatures) -> Float {
        var sum: Float = 0
        if features.sensors.contains(.angularVelocity) {
            let turning = max(features.turningDeviation, RevolutionThresholds.turningFloor)
            sum += Self.limited(Self.turningSlope * log(Self.evenTurning / turning))
        }
        let tilt = max(tiltSquare, 0).squareRoot()
        let share = tilt * UnitDetector.standardGravity / max(features.vectorDeviation, Self.leastMovement)
        let tiltOdds = min(log(Self.mostTilt / max(tilt, 0.001)), log(Self.mostTiltShare / max(share, 0.001)))
        sum += min(Self.limited(2 * tiltOdds), 0)
        sum += min(max(log(Self.leastTilt / max(tilt, 0.001)), 0), Self.mostOfStillness)
        return sum + min(Self.limited(log(Self.mostMovement / features.vectorDeviation)), 0)
    }

    private func oddsOfRise(_ features: SignalFeatures, _ normRate: Float) -> Float {
        guard normRate > 0, features.normDeviation > 0 else { return 0 }
        let rise = features.normDeviation / (normRate * normRate)
        return Self.limited(Self.riseSlope * log(Self.evenRise / rise))
    }

    private static func limited(_ odds: Float) -> Float {
        min(max(odds, -mostOfSign), mostOfSign)
    }

    /// Forgets the attitude and the movement at the end of a signal.
    mutating func pause() {
        hasAttitude = false
        begunMicroseconds = 0
    }
}
