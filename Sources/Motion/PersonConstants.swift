#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// All numbers of a person's path that were set by hand: filters, the grid of periods, windows, lags and dwell times.
// `StateModel+Fitted.swift` has those that the fit sets. A number without a stated reason was chosen with the
// recordings of the fit in view, as the one that counted people best whom the weights had not seen.

// MARK: - Signal

extension UnitDetector {
    /// Standard gravity, m/s² (BIPM, CGPM 1901).
    static let standardGravity: Float = 9.806_65
    /// Ticks before the first answer is final: 2 s.
    static let settlingTicks = 50
    /// The range of the mean of |a| of a sensor in g.
    static let standardRange: ClosedRange<Float> = 0.5...2.2
    /// The range of gravity in g, and its least share of the mean of |a|: movement without gravity has a mean of |a|,
    /// but hardly one along an axis.
    static let gravityRange: ClosedRange<Float> = 0.8...1.25
    static let leastGravityShare: Float = 0.5
    /// The highest first tick without gravity, m/s².
    static let restingLimit: Float = 1
    /// The least mean that is gravity, m/s².
    static let leastGravity: Float = 4
    /// Evaluations (0.4 s) of contrary evidence that change the answer: 6 s.
    static let doubtEvaluations = 15
}

extension VerticalAxisEstimator {
    /// 1 − exp(−2π · 1.2 Hz / 25 Hz). Two such low-passes leave strides, but not steps and impacts.
    static let slowGain: Float = 0.260_4
    /// 1 − exp(−0.04 s / 4 s).
    static let gain: Float = 0.009_95
    /// The first ticks are averaged evenly until the average has its gain.
    static let startTicks: Float = 100
    /// A regularisation: the least slow movement of an axis, as a share of all movement.
    static let leastSlowShare: Float = 0.03
    /// The least movement with an axis, (m/s²)².
    static let leastSquare: Float = 1e-6
}

extension SignalWindow {
    /// Ticks between evaluations: 0.4 s, a fast walker's step.
    static let blockTicks = Tick.mostAtOnce
    static let blockSeconds = Float(blockTicks) * Tick.seconds
    /// Ticks in the window, 8.4 s: two of the longest periods before the moment, and the ticks after it.
    static let tickCount = 21 * blockTicks
    /// Cut-off frequencies, Hz, of acceleration and |a|. They remove gravity, which turns with the sensor, and keep the
    /// slowest stride, at 0.22 Hz. In |a| only the sensor's error turns.
    static let vectorCutoffHz: Float = 0.25
    static let normCutoffHz: Float = 0.35
    /// Impacts are the part of |a| above this, Hz.
    static let impactCutoffHz: Float = 3
    /// Ticks over which impacts are averaged: 0.2 s.
    static let envelopeTicks = 5
}

extension MotionFront {
    /// The gain of the slow mean of the acceleration: 0.4 s.
    static let gravityGain: Float = 0.1
    /// The least mean square around a moment, relative to that of 4 s, for its rhythm to be there: 0.15 is an amplitude
    /// of 0.4.
    static let leastShare: Float = 0.15
    /// The span around a moment, as a share of the period on each side.
    static let nearShare: Float = 0.6
    /// The span of the reference, ticks on each side: 2 s.
    static let farTicks = 5 * SignalWindow.blockTicks
}

// MARK: - Features

/// The periods of features and states: a logarithmic grid of 12 to an octave, so that half, double and one and a half
/// times a period are a fixed number of places away.
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

    /// Octaves of the period at a place above 0.6 s.
    static func octaves(atPlace place: Float) -> Float { (place - centrePlace) / Float(placesPerOctave) }
    /// The place of 0.6 s.
    static let centrePlace: Float = 30

    /// The periods in ticks of 40 ms.
    static let ticks: [Float] = (0..<count).map { shortestTicks * exp2(Float($0) / Float(placesPerOctave)) }

    /// The period in seconds at a place that may lie between two.
    static func seconds(atPlace place: Float) -> Float {
        shortestTicks * exp2(place / Float(placesPerOctave)) * Tick.seconds
    }
}

extension Autocorrelation {
    /// Ticks from the moment to the newest, 2.8 s: half of the longest window and half of the longest period lie after
    /// it.
    static let delayTicks = 70
    /// Half of a window, ticks: one period between these bounds, as in pitch trackers (Talkin 1995). That of the short
    /// curves is half a period.
    static let halfWindow: ClosedRange<Float> = 15...40
    static let shortHalfWindow: ClosedRange<Float> = 10...15
    /// Noise floors of energies a tick: |a|, acceleration and envelope, (m/s²)², angular velocity, (rad/s)². Their
    /// roots, 0.14, 0.2 and 0.1 m/s² and 0.07 rad/s, are noise, a pulse, or one step of a coarse sensor.
    static let floors = SIMD4<Float>(0.02, 0.04, 0.01, 0.005)
}

extension StateModel {
    /// The logarithm of 8 m/s², and how the score of rest falls with that of more movement: nobody rests who is shaken
    /// so. Recordings of people who make no steps say of no moment whether they rest.
    static let logMostAtRest: Float = 2.08
    static let restSlope: Float = 1
}

extension MotionFeatures {
    /// Ticks of a level around the moment: 1 s, 2.4 s, 4 s.
    static let secondTicks = 26
    static let middleTicks = 60
    static let fourSecondTicks = 100
    /// The periods of ``Best``: 0.23 s to 2.9 s.
    static let bestPlaces = 14..<58
    /// Noise floors of levels: m/s², m/s² from tick to tick, rad/s.
    static let levelFloor: Float = 0.05
    static let jerkFloor: Float = 0.02
    static let turningFloor: Float = 0.02
}

// MARK: - Decoding and counting

extension StateDecoder {
    /// The least number of later moments that a moment is smoothed by: 2.4 s.
    static let lag = 6
    /// Moments that are settled by one backward pass.
    static let settledCount = 3
}

extension PhaseAdvance {
    /// The window's standard deviation, in periods, and its bounds in ticks.
    static let periodsOfDeviation: Float = 0.75
    static let leastDeviation: Float = 9
    static let mostDeviation: Float = 27
    /// The half width of the window, in standard deviations: there it has 9 % of its height.
    static let windowWidth: Float = 2.2
    /// The largest relative correction of the expected advance; beyond it the phase is another rhythm's.
    static let mostCorrection: Float = 0.15
    /// The weight of the stride relative to the step.
    static let strideWeight: Float = 0.5
}

extension BoutEdges {
    /// The gain of the bout's movement, a moment of 0.4 s; the ticks of each of three parts after a moment that are looked
    /// at for it, 0.8 s; and how much more than it a moment may count.
    static let gain: Float = 0.2
    static let partTicks = 20
    static let mostRise: Float = 4
    /// The span around a tick, as a share of the period on each side.
    static let nearShare: Float = 0.35
    /// How long before the next footfall a tick may be, in periods: the sensor's own leg steps every second time.
    static let reachPeriods: Float = 2
}

extension OffWrist {
    /// The most that evidence weighs: that of a told placement other than the wrist.
    static let mostWeight: Float = 4
    /// The gain of the past, a moment of 0.4 s: ten minutes of walking. The limit of log odds.
    static let gain: Float = 1 / 1500
    static let most: Float = 4
}

extension ShortBout {
    /// Movement that nobody measured, before a signal and after it, (m/s²)²: it tells neither stillness nor work.
    static let unknownMovement: Float = 1
    /// The fewest steps of a short bout: two are a shuffle.
    static let leastSteps: Float = 2.5
    /// The regression of the log odds of steps: the bias, and the weights of the evidence, as a share of the needed
    /// one, and of the logarithms of the movement before and after, root mean squares in m/s². Fitted to undecided
    /// bouts of people, of drawn copies and of simulations, found by weights that have not seen them; the bias is 0.75
    /// lower than the fitted one, because gestures are rarer in the recordings than in life.
    static let bias: Float = -1.5
    static let evidenceWeight: Float = 1.8
    static let beforeWeight: Float = -0.9
    static let afterWeight: Float = -0.75
    /// The least movement is 0.1 m/s², the noise of sensors.
    static let leastSquare: Float = 0.01
    /// The gain of the movement before, a moment of 0.4 s, and the number of moments after.
    static let stillGain: Float = 1.0 / 3
    static let momentsAfter = 3
}

extension MotionDecoder {
    /// The least mean square of |a| of a footfall, as a share of the bout's, by placement group: unknown, wrist, carried,
    /// pocket, leg. A first step is softer, and limbs feel it less than trunks do.
    static let leastFootfall: [Float] = [0.15, 0.1, 0.15, 0.06, 0.06]
    /// Places on both sides of the likeliest period over which the period is averaged.
    static let meanPlaces = 2
    /// How long a cadence is kept after a pause of the signal, µs, while the movement goes on: by then it is found
    /// again.
    static let pauseMicroseconds: Int64 = 9_000_000
    /// Movement that falls to this share of its level of 4 s within the last second has stopped.
    static let stoppedShare: Float = 0.25
    /// Above this probability of a step there is no vibration of a vehicle.
    static let sureStep: Float = 0.9
    /// The least steps a second, and the least movement of |a|, m/s², of running.
    static let runningRate: Float = 140 / 60
    static let runningMovement: Float = 3.5
    /// Periods of the rhythm of an undescribed sensor: 0.2 s to 2.4 s.
    static let rhythmPlaces = 11...54
    /// The least share of the highest similarity for a shorter period: both feet of a rider push.
    static let rhythmShare: Float = 0.6
}

// MARK: - Activity

extension ActivityClassifier {
    /// The highest movement at rest, m/s² and rad/s.
    static let restingMovement: Float = 0.15
    static let restingTurning: Float = 0.03
    /// Evaluations (0.4 s) for which a vehicle may stand at a red light: a minute.
    static let vehicleRestEvaluations = 150
    /// Evaluations after which an activity has medium and high confidence: 3 s and 10 s.
    static let mediumEvaluations = 8
    static let highEvaluations = 25

    /// The dwell time before a change, evaluations.
    static func patience(from activity: Activity, to candidate: Activity, isPedalling: Bool) -> Int {
        switch (activity, candidate) {
        case (_, .walking), (_, .running): 1
        case (_, .cycling): isPedalling ? 2 : 12
        case (_, .automotive): 25
        case (_, .stationary): 4
        // A person at rest moves a hand at times.
        case (.stationary, .unknown): 10
        case (_, .unknown): 5
        }
    }
}

extension VibrationTrail.Bounds {
    /// Above the noise of sensors and a pulse.
    static let vehicle = Self(leastTremor: 0.12, mostUnsteady: 2.2, leastShare: 0.5)
    /// Also above the tremor of a raised hand, at 8 to 12 Hz (Stiles and Randall, J. Appl. Physiol. 23, 1967).
    static let vehicleOnArm = Self(leastTremor: 0.2, mostUnsteady: 2.2, leastShare: 0.5)
    static let sameVehicle = Self(leastTremor: 0.1, mostUnsteady: 3, leastShare: 0.4)
    static let bicycle = Self(leastTremor: 0.6, mostUnsteady: 3, leastShare: 0.68)
    static let sameBicycle = Self(leastTremor: 0.3, mostUnsteady: 4, leastShare: 0.5)
}

extension VibrationTrail {
    /// Evaluations (0.4 s) in a block, and blocks in the trail: 12.8 s.
    static let blockEvaluations = 4
    static let blockCount = 8
    /// The highest mean tremor in a vehicle, m/s²: ISO 2631-1:1997, annex C, calls 0.8 to 1.6 m/s² uncomfortable.
    /// Handlebars on asphalt have more.
    static let mostInVehicle: Float = 1
    /// The highest movement on a handlebar, m/s²: lower than that of gestures and of uncounted walks.
    static let mostMovementOnBicycle: Float = 3
    /// Limits of one evaluation, m/s²: a pothole has no more weight.
    static let mostTremor: Float = 3
    static let mostMovement: Float = 6
}

// MARK: - An undescribed device

extension MountClassifier {
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
}
