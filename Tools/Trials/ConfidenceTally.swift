/// The share of right cadences at each confidence: of a calibrated one, 0.9 is right nine times in ten.
struct ConfidenceTally: Sendable, Equatable {
    /// Confidences are grouped by tenths.
    static let binCount = 10
    /// A cadence of pedalling is right within this error, in rpm.
    static let rightRPM = 5.0

    /// The seconds of one tenth.
    struct Bin: Sendable, Equatable {
        /// Seconds with a cadence.
        var seconds = 0
        /// Those that were right.
        var right = 0
        /// The sum of their confidences.
        var confidence = 0.0

        /// The mean of the confidences, 0 to 1.
        var meanConfidence: Double { confidence / Double(max(seconds, 1)) }
        /// The share that was right, 0 to 1.
        var rightShare: Double { Double(right) / Double(max(seconds, 1)) }
    }

    private(set) var bins = [Bin](repeating: Bin(), count: binCount)

    /// A second with a confidence.
    mutating func add(confidence: Double, isRight: Bool) {
        let index = min(max(Int(confidence * Double(Self.binCount)), 0), Self.binCount - 1)
        bins[index].seconds += 1
        bins[index].right += isRight ? 1 : 0
        bins[index].confidence += confidence
    }

    mutating func add(_ other: ConfidenceTally) {
        for index in bins.indices {
            bins[index].seconds += other.bins[index].seconds
            bins[index].right += other.bins[index].right
            bins[index].confidence += other.bins[index].confidence
        }
    }
}
