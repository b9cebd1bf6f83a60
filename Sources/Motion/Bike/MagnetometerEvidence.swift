/// Tells half a crank revolution from a whole one by the magnetic field.
///
/// A magnet on the crank passes the sensor once a revolution, while both feet shake the frame twice: if the field
/// repeats only after two found periods, these are half revolutions. A field that repeats after one is no evidence:
/// both crank arms are of steel, and a frame that nods with each push turns in the Earth's field. A field of any other
/// period is a flywheel's, and is ignored.
struct MagnetometerEvidence {
    /// A field that changes less than this is noise, µT. Bosch's BMM150 reads 0.6 µT root mean square on each axis at
    /// its regular preset (BST-BMM150-DS001); of that, three axes, the mean of two samples at 50 Hz and the low-pass
    /// leave 0.46 µT.
    static let floor: Float = 0.5
    /// The least similarity at two found periods, and the highest share of it at one.
    private static let leastSimilarity: Float = 0.4
    private static let mostShare: Float = 0.6
    /// The first peak of at least this share of the highest one is the field's period.
    private static let peakShare: Float = 0.75
    /// The relative tolerance between that and twice the found period.
    private static let agreement: Float = 0.07
    /// Candidate periods, ticks, those of flywheels among them.
    private static let lags = 2...78
    /// Evaluations (0.4 s) that must agree.
    private static let neededVotes = 6
    private static let mostVotes = 15

    /// Gain an evaluation: 4 s.
    private static let smoothing: Float = 0.1
    /// The log odds that a magnet adds.
    static let odds: Float = 8

    private var votes = 0
    private var smoothed = LagCurve()
    /// Whether the curve may be other than zero.
    private var mayRemember = true

    /// Whether a magnet tells that the found period is half of the crank's.
    var indicatesHalf: Bool { votes >= Self.neededVotes }

    /// Takes the autocorrelation of the field.
    /// - Parameter periodTicks: The found period, 0 for none.
    mutating func take(_ curve: LagCurve, periodTicks: Float) {
        mayRemember = true
        smoothed.approach(curve, gain: Self.smoothing)
        let own = smoothed.firstStrongPeak(in: Self.lags, share: Self.peakShare)
        let isWhole = own.map { Self.isWhole($0, smoothed, periodTicks) } ?? false
        votes = isWhole ? min(votes + 1, Self.mostVotes) : max(votes - 1, 0)
    }

    /// Whether the field's period is two found ones.
    private static func isWhole(_ own: LagCurve.Peak, _ curve: LagCurve, _ periodTicks: Float) -> Bool {
        own.height > leastSimilarity && abs(own.lag - 2 * periodTicks) < agreement * 2 * periodTicks
            && curve.value(at: periodTicks) < mostShare * own.height
    }

    /// Forgets the evidence for a period that has ended.
    mutating func forgetPeriod() {
        votes = 0
    }

    /// Forgets everything, because there is no field.
    mutating func reset() {
        guard mayRemember else { return }
        mayRemember = false
        votes = 0
        smoothed.clear()
    }

    mutating func copyCurve(_ state: inout StateCopy) {
        smoothed.copyValues(&state)
    }
}
