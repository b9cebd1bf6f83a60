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
