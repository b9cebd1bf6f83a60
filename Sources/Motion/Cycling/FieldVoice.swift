/// What the magnetic field says about a bike's crank.
///
/// A magnet on the crank passes the sensor once a revolution, while both feet shake the frame twice: a field that repeats
/// itself only after two of the found periods tells that these are halves. The other way round it tells nothing: two steel
/// arms are alike, and a frame that nods at each push turns the Earth's field with it. A flywheel has a rate of its own: a
/// field that repeats itself sooner than after two found periods is not listened to.
struct FieldVoice {
    /// A field that changes less than this is noise, µT. Bosch's BMM150 reads 0.6 µT root mean square on each axis at its
    /// regular preset (BST-BMM150-DS001); of that, three axes, the mean of two samples at 50 Hz and the low-pass
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

    /// The least similarity of the movement after one and after two of its own half periods, to be believed beside a field's.
    private static let leastSupport: Float = 0.2

    private var votes = 0
    /// The field's own period, ticks; 0 for none.
    private var ownPeriod: Float = 0
    /// The similarity of the field after a revolution, while it speaks for halves; else 0.
    private(set) var strength: Float = 0

    /// Whether the found period is half of the crank's.
    var speaksForHalf: Bool { votes >= Self.neededVotes }

    /// Takes an evaluation's field similarity, with the found period in ticks, 0 for none.
    mutating func listen(_ curve: LagCurve, periodTicks: Float) {
        let own = curve.firstStrongPeak(in: Self.lags, share: Self.peakShare)
        ownPeriod = own.map { $0.height > Self.leastSimilarity ? $0.lag : 0 } ?? 0
        guard let height = own.flatMap({ Self.wholeSimilarity($0, curve, periodTicks) }) else {
            votes = max(votes - 1, 0)
            if !speaksForHalf { strength = 0 }
            return
        }
        votes = min(votes + 1, Self.mostVotes)
        strength = speaksForHalf ? min(height, 1) : 0
    }

    /// The similarity after two found periods, if the field has its own period there.
    private static func wholeSimilarity(
        _ own: LagCurve.Peak, _ curve: LagCurve, _ periodTicks: Float
    ) -> Float? {
        guard own.height > leastSimilarity, abs(own.lag - 2 * periodTicks) < agreement * 2 * periodTicks,
            curve.value(at: periodTicks) < mostShare * own.height
        else { return nil }
        return own.height
    }

    /// The peak of the movement's similarity at half of the field's own period, if there is one there and one at the whole:
    /// two feet push in every revolution of a magnet. It may drown among others where noise is strong.
    func supportedPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        guard ownPeriod > 0, let half = curve.highestPeak(near: ownPeriod / 2),
            half.height > Self.leastSupport, abs(half.lag - ownPeriod / 2) < Self.agreement * half.lag,
            let whole = curve.highestPeak(near: ownPeriod), whole.height > Self.leastSupport
        else { return nil }
        return half
    }

    /// Forgets what was said about a period that is no more.
    mutating func forgetPeriod() {
        votes = 0
        strength = 0
    }

    /// Forgets: there is no field.
    mutating func reset() {
        votes = 0
        strength = 0
        ownPeriod = 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&votes, in: 0...Self.mostVotes)
        coder.code(&strength)
        coder.code(&ownPeriod, in: 0...100)
    }
}
