/// The thresholds of the revolution counter.
enum RevolutionGate {
    /// Periods searched, in ticks: 0.28…3.1 s, 19…214 rpm.
    static let lags = 7...78
    /// The same on a person, where slow arm movement would feign less: 0.32…2.2 s.
    static let personLags = 8...55
    static let openingStrength: Float = 0.45
    /// The same of the similarity averaged over a quarter minute, and the weight of the newest evaluation in that.
    static let slowOpeningStrength: Float = 0.3
    static let slowGain: Float = 0.06
    /// The same on a person who has pedalled.
    static let personSlowStrength: Float = 0.25
    /// Share of the first strong peak at which the tracked one is kept, and evaluations (0.4 s) for which a shorter one must
    /// be found more often than not.
    static let trackedShare: Float = 0.75
    static let bikeOctaveEvaluations = 10
    /// The same on a person, where it must hold for longer.
    static let personOpeningStrength: Float = 0.38
    static let closingStrength: Float = 0.25
    static let openingEvaluations = 3
    /// Ticks between evaluations.
    static let evaluationTicks = 10
    /// Repetitions, each times its coherence, after the period was taken up, until a bike's bout opens.
    static let openingEvidence: Float = 1.5
    static let weakOpeningEvidence: Float = 2.5
    /// The same on a person, who may be about to walk: 4.8 s.
    static let personOpeningEvaluations = 12
    /// A peak this share of the highest one is the fundamental; nearer to the tracked period less will do.
    static let peakShare: Float = 0.85
    static let personPeakShare: Float = 0.7
    /// A peak near the last known period is taken when it is this share of the highest one.
    static let recallShare: Float = 0.6
    /// Evaluations after which the last period is forgotten: 60 s.
    static let recallEvaluations = 150
    /// Lags above this, 48 rpm, are doubted on a person: the half is taken when it is this share as high.
    static let longLag: Float = 31
    static let halfShare: Float = 0.45
    /// Lags above this, 40 rpm, are doubted on a bike: the half is taken when it is this share as high, and what is then
    /// half of a revolution shows as that.
    static let slowLag: Float = 37.5
    static let slowHalfShare: Float = 0.6
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
    /// On a person, who trembles, m/s².
    static let personFloor: Float = 0.1
    static let stopShare: Float = 0.4
    static let personStopShare: Float = 0.4
    /// By how much the typical movement of a person follows that of now, an evaluation.
    static let typicalStep: Float = 1.04
    /// The same on a bike, and under what share of it the movement has fallen.
    static let bikeTypicalStep: Float = 1.02
    static let fallenShare: Float = 0.5
    /// The deviation falls to half so long after the movement ends, µs.
    static let fallDelayMicroseconds: Int64 = 300_000
    /// Similarity that opens and keeps open on a person whose last period is found again.
    static let recallStrength: Float = 0.2
    /// Evaluations (0.4 s) for which another octave must be found on a person.
    static let octaveEvaluations = 20
    /// Coherence under this share of the similarity: stopped.
    static let coherenceShare: Float = 0.35
    /// The same where the movement, too, has fallen well below what it was of late.
    static let fallenCoherenceShare: Float = 0.8
    /// Periods for which a stop is not noticed.
    static let stopPeriods: Float = 1.1
    /// Time constant of a bike's lag products, s.
    static let memorySeconds: Float = 4
    /// Evaluations (0.4 s) through which the last period is held while the machine still moves.
    static let holdEvaluations = 5
    /// The same on a person, whose arms and clothes hide a period for longer: 8 s.
    static let personHoldEvaluations = 12
    /// The peak after two periods refines the period when it is this share as high.
    static let doubleShare: Float = 0.6
    /// The same before a person's bout opens.
    static let candidateHoldEvaluations = 2
    /// Evaluations through which a gesture may hide the pedalling: 2.4 s, as no stop may go unnoticed for 3 s.
    static let bridgeEvaluations = 6
    /// The most that a bike's cadence is sure before whole and half revolutions are told apart.
    static let unsettledConfidence: Float = 0.7
    /// A first guess above this is taken for twice the cadence until the harmonics have spoken.
    static let likelyRate: Float = 1.9
}
