#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Every number in how a person is counted that a hand has set: filters, the grid of periods, windows, lags and dwell.
// What the fit sets is in `StateModel+Fitted.swift`; what a number is of whose reason nothing is said was chosen with the
// fit's recordings in view, by what counted people best whom the weights had not seen.

// MARK: - Signal

extension UnitDetector {
    /// Standard gravity, m/s² (BIPM, CGPM 1901).
    static let standardGravity: Float = 9.806_65
    /// Samples are weighed for this many ticks: 2 s.
    static let settlingTicks = 50
    /// The mean of |a| of a sensor that counts in g, g.
    static let standardRange: ClosedRange<Float> = 0.5...2.2
    /// What gravity in g may be, and how much of |a| it is at least: what moves without gravity has a mean of |a| too,
    /// but hardly one along any axis.
    static let gravityRange: ClosedRange<Float> = 0.8...1.25
    static let leastGravityShare: Float = 0.5
    /// A first tick without gravity is less than this, m/s², unless it moves, as one with gravity may be that falls.
    static let restingLimit: Float = 1
    /// Less than this, m/s², is not gravity.
    static let leastGravity: Float = 4
    /// Evaluations (0.4 s) that must speak against what is settled: 6 s.
    static let doubtEvaluations = 15
}

extension VerticalAxisEstimator {
    /// 1 − exp(−2π · 1.2 Hz / 25 Hz): what passes two such filters is slow. Strides are, and steps and jolts are not.
    static let slowGain: Float = 0.260_4
    /// 1 − exp(−0.04 s / 4 s).
    static let gain: Float = 0.009_95
    /// The first ticks are averaged evenly until the average has its gain.
    static let startTicks: Float = 100
    /// What every axis moves slowly at least, of all that moves: an axis that hardly moves is none.
    static let leastSlowShare: Float = 0.03
    /// Movements of less than this, (m/s²)², have no axis.
    static let leastSquare: Float = 1e-6
}

extension SignalWindow {
    /// Ticks between evaluations: 0.4 s, a step of who walks fast.
    static let blockTicks = Tick.mostAtOnce
    static let blockSeconds = Float(blockTicks) * Tick.seconds
    /// Ticks in the window, 8.4 s: the two longest periods before the moment, and what is newer than that.
    static let tickCount = 21 * blockTicks
    /// Cut-off frequencies, Hz: below them gravity turns with the sensor, and the slowest stride, of 26 steps a minute, is at
    /// 0.22. |a| does not turn, but a sensor's error does.
    static let vectorCutoffHz: Float = 0.25
    static let normCutoffHz: Float = 0.35
    /// Above this, Hz, |a| is what impacts leave.
    static let impactCutoffHz: Float = 3
    /// Ticks over which impacts are averaged: 0.2 s.
    static let envelopeTicks = 5
}

extension MotionFront {
    /// The slow mean of the acceleration follows with 0.4 s.
    static let gravityGain: Float = 0.1
    /// The mean square of movement around a moment, beside that of 4 s, below which none of its rhythm is there: power
    /// falls to 0.15 where the amplitude falls to 0.4.
    static let leastShare: Float = 0.15
    /// Around a moment is this share of a period on both sides.
    static let nearShare: Float = 0.6
    /// Ticks on both sides that the moment is compared with: 2 s.
    static let farTicks = 5 * SignalWindow.blockTicks
}

// MARK: - Features

/// The periods that features and states are defined on: a logarithmic grid of 12 to an octave, so that half, double and
/// one and a half times a period are a fixed number of places away.
package enum PeriodAxis {
    /// Places of one octave: 6 % from one to the next.
    package static let placesPerOctave = 12
    /// The number of periods: 0.106 s to 3.2 s, half of the quickest step to the longest turn.
    package static let count = 60
    /// The first period, in ticks.
    private static let shortestTicks: Float = 2.65

    /// The places of a step's period, 0.24 s to 2.3 s: 26 to 252 steps a minute.
    package static let stepPlaces = 14..<54
    /// The places of a crank's period, 0.3 s to 2.9 s: 21 to 200 rpm.
    package static let pedalPlaces = 18..<58

    /// The periods in ticks of 40 ms.
    static let ticks: [Float] = (0..<count).map { shortestTicks * exp2(Float($0) / Float(placesPerOctave)) }

    /// The period in seconds at a place that may lie between two.
    static func seconds(atPlace place: Float) -> Float {
        shortestTicks * exp2(place / Float(placesPerOctave)) * Tick.seconds
    }
}

extension Autocorrelation {
    /// Ticks from the moment to the newest, 2.8 s: half of the longest window and half of the longest period lie after it.
    static let delayTicks = 70
    /// Half of a window, ticks: a period as pitch trackers have it (Talkin 1995), between these. The short curves take half of
    /// that, and show edges.
    static let halfWindow: ClosedRange<Float> = 15...40
    static let shortHalfWindow: ClosedRange<Float> = 10...15
    /// What a tick of noise adds to an energy: |a|, acceleration and envelope, (m/s²)², angular velocity, (rad/s)². Less than
    /// their roots, 0.14, 0.2 and 0.1 m/s² and 0.07 rad/s, is noise, a pulse, or one step of a coarse sensor.
    static let floors = SIMD4<Float>(0.02, 0.04, 0.01, 0.005)
}

extension MotionFeatures {
    /// Ticks of a level around the moment: 1 s, 2.4 s, 4 s.
    static let secondTicks = 26
    static let middleTicks = 60
    static let fourSecondTicks = 100
    /// Periods over which ``Best`` looks: 0.23 s to 2.9 s.
    static let bestPlaces = 14..<58
    /// Below these a level is noise: m/s², m/s² from tick to tick, rad/s.
    static let levelFloor: Float = 0.05
    static let jerkFloor: Float = 0.02
    static let turningFloor: Float = 0.02
}

// MARK: - Decoding and counting

extension StateDecoder {
    /// Moments after one that have a say in it, at least: 2.4 s.
    static let lag = 6
    /// Moments that are settled at a time: each pass backward goes over all of them.
    static let settledCount = 3
}

extension PhaseAdvance {
    /// The window's standard deviation: so many periods, between these bounds in ticks.
    static let periodsOfDeviation: Float = 0.75
    static let leastDeviation: Float = 9
    static let mostDeviation: Float = 27
    /// Standard deviations at which the window ends: 9 % of its height.
    static let windowWidth: Float = 2.2
    /// A phase that says more or less than the rhythm by this share is another's.
    static let mostCorrection: Float = 0.15
    /// How much the rhythm at half the frequency weighs beside that of the period itself, for steps: a stride.
    static let strideWeight: Float = 0.5
}

extension ShortBout {
    /// Two steps are a shuffle.
    static let leastSteps: Float = 2.5
    /// The log odds that it was steps: so much, and so much for the share of the evidence that makes a bout sure, and for
    /// the logarithm of the movement before and after, m/s², root mean square. A regression on the bouts of people, of
    /// copies of them and of simulations, counted by weights that have not seen them; 0.75 less, because people do not wave
    /// as seldom as they are recorded.
    static let bias: Float = -1.5
    static let evidenceWeight: Float = 1.8
    static let beforeWeight: Float = -0.9
    static let afterWeight: Float = -0.75
    /// No movement is less than 0.1 m/s²: what sensors tremble with themselves.
    static let leastSquare: Float = 0.01
    /// Before is an average that a moment of 0.4 s is a third of; after are three of them.
    static let stillGain: Float = 1.0 / 3
    static let momentsAfter = 3
}

extension MotionDecoder {
    /// Places of the grid on both sides of the likeliest period that its mean is taken over.
    static let meanPlaces = 2
    /// For so long, µs, a cadence is told on after a pause of the signal, while as much moves: until then it is found anew.
    static let pauseMicroseconds: Int64 = 9_000_000
    /// A movement that falls to this share of its level of 4 s, within the last second, has stopped.
    static let stoppedShare: Float = 0.25
    /// Who walks as surely as this is not shaken by anything else.
    static let sureStep: Float = 0.9
    /// Who runs makes so many steps a second, and is moved so much, m/s² of |a|.
    static let runningRate: Float = 140 / 60
    static let runningMovement: Float = 3.5
    /// Periods in which a sensor of which nothing is told may have a rhythm: 0.2 s to 2.4 s.
    static let rhythmPlaces = 11...54
    /// Both feet of a rider push: a similarity of this share of the highest is a period.
    static let rhythmShare: Float = 0.6
}

// MARK: - Activity

extension ActivityClassifier {
    /// Less movement than this, m/s² and rad/s, is rest.
    static let restingMovement: Float = 0.15
    static let restingTurning: Float = 0.03
    /// A vehicle at a red light stays one for a minute: 150 evaluations of 0.4 s.
    static let vehicleRestEvaluations = 150
    /// Evaluations for which an activity has held when its confidence is medium and high: 3 s and 10 s.
    static let mediumEvaluations = 8
    static let highEvaluations = 25

    /// Evaluations before a change is believed.
    static func patience(from activity: Activity, to candidate: Activity, isPedalling: Bool) -> Int {
        switch (activity, candidate) {
        case (_, .walking), (_, .running): 1
        case (_, .cycling): isPedalling ? 2 : 12
        case (_, .automotive): 25
        case (_, .stationary): 4
        // Who sits moves a hand at times.
        case (.stationary, .unknown): 10
        case (_, .unknown): 5
        }
    }
}

extension VibrationTrail.Bounds {
    /// More than the noise of sensors and a pulse.
    static let vehicle = Self(leastTremor: 0.12, mostUnsteady: 2.2, leastShare: 0.5)
    /// And more than a hand trembles that is held up, at 8 to 12 Hz (Stiles and Randall, J. Appl. Physiol. 23, 1967).
    static let vehicleOnArm = Self(leastTremor: 0.2, mostUnsteady: 2.2, leastShare: 0.5)
    static let sameVehicle = Self(leastTremor: 0.1, mostUnsteady: 3, leastShare: 0.4)
    static let bicycle = Self(leastTremor: 0.6, mostUnsteady: 3, leastShare: 0.68)
    static let sameBicycle = Self(leastTremor: 0.3, mostUnsteady: 4, leastShare: 0.5)
}

extension VibrationTrail {
    /// Evaluations (0.4 s) in a block, and blocks in the trail: 12.8 s.
    static let blockEvaluations = 4
    static let blockCount = 8
    /// A mean tremor that nobody sits through for long, m/s²: ISO 2631-1:1997, annex C, calls 0.8 to 1.6 m/s²
    /// uncomfortable. Handlebars on asphalt bring more.
    static let mostInVehicle: Float = 1
    /// The most that who holds a handlebar is moved, m/s²: less than gestures, and than a walk that was not counted.
    static let mostMovementOnBicycle: Float = 3
    /// A pothole counts as no more than this, m/s².
    static let mostTremor: Float = 3
    static let mostMovement: Float = 6
}

// MARK: - A device of which nothing is told

extension MountClassifier {
    /// How many evaluations are as good as one: those of some seconds share what they look at.
    static let gain: Float = 0.2
    static let most: Float = 6
    /// From 20 to 1 on a frame is one, and it is none any longer when that is as unlikely. From 3 to 1 on nobody's
    /// steps are counted.
    static let decided: Float = 3
    static let leaning: Float = 1.1
    /// What one sign says at most.
    static let mostOfSign: Float = 2
    /// The change of |a| over the square of its rate that a body and a frame make alike, m/s² · s²: nine in ten seconds
    /// of walks on record have more than 0.24, and of simulated bikes less than 0.2.
    static let evenRise: Float = 0.2
    static let riseSlope: Float = 1.5
    /// The same of the angular velocity, rad/s: simulated walkers' hips have more than 0.14, as hands on a handlebar on
    /// record do, and limbs far more; simulated frames less than 0.07.
    static let evenTurning: Float = 0.1
    static let turningSlope: Float = 2
    /// More tilt than this, rad, or more than what moves could feign, m/s² over m/s², is no frame's; nor is more
    /// movement, m/s².
    static let mostTilt: Float = 0.08
    /// Less tilt than this, rad, has hardly anyone who walks, and nine in ten moments of simulated frames with a clear
    /// signal.
    static let leastTilt: Float = 0.025
    static let mostOfStillness: Float = 0.5
    /// The similarity of the whole movement over that of |a| after one of its periods, above which both are of one
    /// machine, and below which a body sways: who walks does so once a stride, and has up to 0.86.
    static let machineShare: Float = 0.88
    static let machineSlope: Float = 10
    static let mostOfMachine: Float = 1
    static let mostTiltShare: Float = 1
    static let mostMovement: Float = 2.5
    /// A tilt that takes a phone from its holder, rad.
    static let takenTilt: Float = 0.3
    /// How fast the attitude is followed: within 8 s.
    static let attitudeGain: Float = 0.05
    /// The least movement, m/s², and similarity that say something.
    static let leastMovement: Float = 0.06
    static let leastStrength: Float = 0.45
    static let clearStrength: Float = 0.65
    /// The least angular velocity the same way, rad/s, of a sensor that goes round with a crank, 13 rpm, and what that
    /// says: it takes three seconds, in which no one turns round three times.
    static let leastSpin: Float = 1.4
    static let oddsOfSpin: Float = 2
    /// What a turning crank, found on a frame, says.
    static let oddsOfTurning: Float = 0.5
}
