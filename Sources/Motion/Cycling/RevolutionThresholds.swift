/// The thresholds of the revolution counter.
enum RevolutionThresholds {
    /// Ticks between evaluations.
    static let evaluationTicks = Tick.mostAtOnce
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
    /// On a person, who trembles, m/s².
    static let personFloor: Float = 0.1
    /// Periods searched on a person, in ticks: 0.32…2.2 s, because slow strides are longer.
    static let personLags = 8...55
    /// Periods, ticks, of hands that shake, brush or clap: 0.16…0.28 s.
    static let tooQuickLags = 4...7
    /// The same as the former on an arm, whose slow movement would feign more, and on a leg: up to 2.4 s and 3.1 s.
    static let armLags = 8...61
    static let legLags = 8...78

    static func lags(on placement: Placement) -> ClosedRange<Int> {
        placement.isLeg ? legLags : placement.mayTurn ? armLags : personLags
    }
    static let personOpeningStrength: Float = 0.38
    static let closingStrength: Float = 0.25
    /// Similarity that opens and keeps open on a person whose last period is found again.
    static let recallStrength: Float = 0.2
    /// The same of the similarity averaged over a quarter minute on a person who has pedalled, and the weight of the
    /// newest evaluation in that.
    static let personSlowStrength: Float = 0.25
    static let slowGain: Float = 0.06
    /// Evaluations that must agree until a bout opens: of someone who pedalled so of late, and of someone who may be
    /// about to walk, 4.8 s.
    static let openingEvaluations = 3
    static let personOpeningEvaluations = 12
    /// The same where an arm may be a walker's, 6.4 s: by then it is known.
    static let carriedOpeningEvaluations = 16
    /// The same where the similarity is this clear, on a leg or where no feet are heard: 2.8 s.
    static let clearOpeningEvaluations = 7
    static let clearStrength: Float = 0.6
    /// The same of a period that is found again, or on what may be a leg.
    static let knownClearStrength: Float = 0.45
    /// Evaluations that must agree, or a turn's if that is longer, until a cadence is told that is not counted yet, and
    /// how many of them may have missed it; and by how many more it is where an arm may be a walker's.
    static let tellingEvaluations = 2
    static let tellingHold = 1
    static let doubtedEvaluations = 2
    /// What |a| changes then at most, m/s², and from where on it may be a walk that begins: nine in ten seconds at
    /// an exercise bike's handlebar have less than 0.24, and half of the first seconds of simulated walks have more.
    static let tellingNormDeviation: Float = 0.6
    static let quietNormDeviation: Float = 0.3
    /// The most that a hand on a handlebar, or a trunk over a saddle, moves for a bout to begin, m/s²: what tilting by
    /// some degrees makes of gravity, and swaying by some centimetres, over the square of the angular rate, in metres;
    /// and at any rate.
    static let handlebarTilt: Float = 0.7
    static let handlebarMetres: Float = 0.015
    static let handlebarMovement: Float = 3
    /// The most that |a| changes on a thigh that turns about a hip at rest, over the square of the angular rate, in
    /// metres: simulated riders have up to 0.09, and who squats more.
    static let thighMetres: Float = 0.11
    /// The least movement, m/s², of a leg that begins to pedal: gravity alone moves along a thigh or a shank by more, as
    /// they are tilted to and fro, and a seat's springs move a passenger's by less.
    static let leastLegMovement: Float = 1
    /// The similarity from which a period is noticed on a person.
    static let noticedStrength: Float = 0.33
    /// Evaluations after which a cadence has been pedalled for a while: 8 s.
    static let settledEvaluations = 20
    /// The same for so long that it is remembered where nobody told what moves: 20 s.
    static let lastingEvaluations = 50
    /// How like itself, as a share, what lasts is after two periods. A swing that springs damp by a tenth of what is
    /// critical or more leaves half and less of itself to the next one.
    static let lastingShare: Float = 0.75
    /// Entries of the rise history (0.2 s) that are credited where the movement does not tell when it began.
    static let creditedEntries = 16
    /// Evaluations that must agree on a period for it to be remembered, whether or not a bout opened.
    static let memorableEvaluations = 10
    /// A peak this share of the highest one is the fundamental.
    static let personPeakShare: Float = 0.7
    /// A peak near the last known period is taken when it is this share of the highest one.
    static let recallShare: Float = 0.6
    /// Evaluations after which the last period is forgotten: 60 s.
    static let recallEvaluations = 150
    /// Lags above this, 48 rpm, are doubted on a person: the half is taken when it is this share as high.
    static let longLag: Float = 31
    static let halfShare: Float = 0.45
    /// The same where the similarity of the last quarter minute has the long lag, and how much of it must be there.
    static let wholeHalfShare: Float = 0.75
    static let wholeStrength: Float = 0.12
    /// Periods shorter than this, 115 rpm, are doubted on a person: twice that is taken where the similarity of the
    /// last quarter minute after one is less than this share of that after two.
    static let quickLag: Float = 13
    static let quickHalfShare: Float = 0.82
    /// The peak after two periods refines the period when it is this share as high.
    static let doubleShare: Float = 0.6
    static let personStopShare: Float = 0.4
    /// By how much the typical movement of a person follows that of now, an evaluation.
    static let typicalStep: Float = 1.04
    /// Evaluations (0.4 s) for which another octave must be found on a person: in a bout, and before one opens.
    static let octaveEvaluations = 20
    static let candidateOctaveEvaluations = 5
    /// Periods for which a stop is not noticed.
    static let stopPeriods: Float = 1.1
    /// Evaluations through which the last period is held while a person still moves, whose arms and clothes hide it:
    /// 4.8 s.
    static let personHoldEvaluations = 12
    /// The same before a person's bout opens.
    static let candidateHoldEvaluations = 2
    /// Evaluations through which a gesture may hide the pedalling: 2.4 s, as no stop may go unnoticed for 3 s.
    static let bridgeEvaluations = 6
}
