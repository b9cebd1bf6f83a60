/// What the magnetic field says about a bike's crank.
///
/// A magnet on the crank passes the sensor once a revolution, while both feet shake the frame twice: a field that repeats
/// itself only after two of the found periods tells that these are halves. The other way round it tells nothing: two steel
/// arms are alike, and a frame that nods at each push turns the Earth's field with it. A flywheel has a rate of its own: a
/// field that repeats itself sooner than after two found periods is not listened to.
struct FieldVoice {
    /// A field that changes less than this is noise, µT. Bosch's BMM150 reads 0.6 µT root mean square on each axis at its
    /// regular preset (BST-BMM150-DS001, table 2); of that, three axes, the mean of two samples at 50 Hz and the low-pass
    /// leave 0.46 µT.
    static let floor: Float = 0.5
    /// The least similarity after two found periods, and after one the most of that.
    private static let leastSimilarity: Float = 0.4
    private static let mostShare: Float = 0.6
    /// A peak this share of the highest one is the field's own period.
    private static let peakShare: Float = 0.75
    /// How far that may be from twice the found period.
    private static let agreement: Float = 0.07
    /// Periods looked for, in ticks: also those of a flywheel.
    private static let lags = 2...78
    /// Evaluations (0.4 s) that must agree.
    private static let neededVotes = 6
    private static let mostVotes = 15

    private var votes = 0
    /// The similarity of the field after a revolution, while it speaks for halves; else 0.
    private(set) var strength: Float = 0

    /// Whether the found period is half of the crank's.
    var speaksForHalf: Bool { votes >= Self.neededVotes }

    /// Takes an evaluation's field similarity, with the found period in ticks.
    mutating func listen(_ curve: LagCurve, periodTicks: Float) {
        guard let height = Self.wholeSimilarity(curve, periodTicks) else {
            votes = max(votes - 1, 0)
            if !speaksForHalf { strength = 0 }
            return
        }
        votes = min(votes + 1, Self.mostVotes)
        strength = speaksForHalf ? min(height, 1) : 0
    }

    /// The similarity after two found periods, if the field has its period there.
    private static func wholeSimilarity(_ curve: LagCurve, _ periodTicks: Float) -> Float? {
        guard let own = curve.firstStrongPeak(in: lags, share: peakShare), own.height > leastSimilarity,
            abs(own.lag - 2 * periodTicks) < agreement * 2 * periodTicks,
            curve.value(at: periodTicks) < mostShare * own.height
        else { return nil }
        return own.height
    }

    /// Forgets: there is no period, no field, or another period.
    mutating func reset() {
        votes = 0
        strength = 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&votes, in: 0...Self.mostVotes)
        coder.code(&strength)
    }
}
