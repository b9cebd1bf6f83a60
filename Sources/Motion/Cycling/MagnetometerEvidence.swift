/// What the magnetic field says about a bike's crank.
///
/// A magnet on the crank passes the sensor once a revolution, while both feet shake the frame twice: a field that
/// repeats itself only after two of the found periods tells that these are halves. The other way round it tells
/// nothing: two steel arms are alike, and a frame that nods at each push turns the Earth's field with it. A flywheel
/// has a rate of its own: a field that repeats itself sooner than after two found periods is not listened to.
struct MagnetometerEvidence {
    /// A field that changes less than this is noise, µT. Bosch's BMM150 reads 0.6 µT root mean square on each axis at
    /// its regular preset (BST-BMM150-DS001); of that, three axes, the mean of two samples at 50 Hz and the low-pass
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

    /// Averaging, an evaluation: 4 s.
    private static let smoothing: Float = 0.1
    /// What a field that speaks adds to the logarithm of the odds: a magnet is no chance.
    static let odds: Float = 8

    private var votes = 0
    private var smoothed = LagCurve()
    /// Whether there is anything to forget, as far as is known.
    private var mayRemember = true

    /// Whether the found period is half of the crank's.
    var speaksForHalf: Bool { votes >= Self.neededVotes }

    /// Takes the field's similarity of the last moments, with the found period in ticks, 0 for none.
    mutating func listen(_ curve: LagCurve, periodTicks: Float) {
        mayRemember = true
        smoothed.approach(curve, gain: Self.smoothing)
        let own = smoothed.firstStrongPeak(in: Self.lags, share: Self.peakShare)
        let isWhole = own.map { Self.isWhole($0, smoothed, periodTicks) } ?? false
        votes = isWhole ? min(votes + 1, Self.mostVotes) : max(votes - 1, 0)
    }

    /// Whether the field has its own period after two found ones.
    private static func isWhole(_ own: LagCurve.Peak, _ curve: LagCurve, _ periodTicks: Float) -> Bool {
        own.height > leastSimilarity && abs(own.lag - 2 * periodTicks) < agreement * 2 * periodTicks
            && curve.value(at: periodTicks) < mostShare * own.height
    }

    /// Forgets what was said about a period that is no more.
    mutating func forgetPeriod() {
        votes = 0
    }

    /// Forgets: there is no field.
    mutating func reset() {
        guard mayRemember else { return }
        mayRemember = false
        votes = 0
        smoothed.clear()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&votes, in: 0...Self.mostVotes)
        smoothed.transfer(&coder)
        mayRemember = true
    }
}
