/// For how long the same step rate has been found, also where it was too weak to be sure of.
struct Rhythm {
    /// How far two rates may be apart and still be the same.
    private static let agreement: Float = 0.15
    /// So many evaluations (0.4 s) may find another rate, or none, between two that agree.
    private static let pardon = 2
    /// The similarity below which a rate is chance.
    private static let leastStrength: Float = 0.2

    private var rate: Float = 0
    private var since: Int64 = 0
    private var misses = 0

    /// The time since when the rate has been found, µs; far in the future before there was one.
    var start: Int64 { rate > 0 ? since : .max }

    mutating func follow(_ hypothesis: StepHypothesis?, at timeMicroseconds: Int64) {
        let found = hypothesis.map { $0.strength > Self.leastStrength ? $0.rate : 0 } ?? 0
        if rate > 0, abs(found - rate) <= Self.agreement * rate {
            rate += (found - rate) * 0.3
            misses = 0
        } else if misses < Self.pardon, rate > 0 {
            misses += 1
        } else {
            rate = found
            since = timeMicroseconds
            misses = 0
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&rate)
        coder.code(time: &since)
        coder.code(&misses, in: 0...Self.pardon)
    }
}

/// What is told of steps: the rate of the open bout, and for some seconds that of one whose rhythm was lost while the
/// movement goes on. A rhythm that is lost for a moment is no stop; a movement that falls is one.
struct ReportedCadence {
    /// For how long a rhythm may be lost, µs.
    private static let patienceMicroseconds: Int64 = 4_000_000
    /// The share of the bout's movement under which what moves has fallen.
    private static let fallShare: Float = 0.6

    /// Steps a second; 0 where none are told.
    private(set) var rate: Float = 0
    /// How like each other they are, 0…1.
    private(set) var likeness: Float = 0
    /// What moved when the bout was open last, m/s², and when that was.
    private var normDeviation: Float = 0
    private var time: Int64 = 0

    /// Takes the rate of an open bout.
    mutating func take(rate: Float, likeness: Float, _ features: SignalFeatures) {
        (self.rate, self.likeness) = (rate, likeness)
        (normDeviation, time) = (features.normDeviation, features.timeMicroseconds)
    }

    /// Takes what moves where no bout is open.
    mutating func wait(_ features: SignalFeatures) {
        let hasFallen = features.shortNormDeviation < Self.fallShare * normDeviation
        if hasFallen || features.timeMicroseconds - time > Self.patienceMicroseconds { self = ReportedCadence() }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&rate)
        coder.code(&likeness)
        coder.code(&normDeviation)
        coder.code(time: &time)
    }
}
