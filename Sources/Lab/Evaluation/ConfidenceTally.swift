/// How often a reported cadence was right at each confidence: of a calibrated one, 0.9 is right nine times in ten.
public struct ConfidenceTally: Sendable, Equatable {
    /// Confidences are told apart by tenths.
    public static let binCount = 10
    /// A cadence of pedalling within so many rpm is right.
    public static let rightRPM = 5.0
    /// A cadence of steps within this share of the truth is right.
    public static let rightShare = 0.05
    /// The steps about a second that give its true cadence lie within so many seconds of it, and are at least so many.
    private static let reachSeconds = 2.5
    private static let leastSteps = 4

    /// The seconds of one tenth.
    public struct Bin: Sendable, Equatable {
        /// Seconds with a cadence.
        public internal(set) var seconds = 0
        /// Those that were right.
        public internal(set) var right = 0
        /// The sum of their confidences.
        public internal(set) var confidence = 0.0
    }

    /// The tenths, from 0 to 1.
    public private(set) var bins = [Bin](repeating: Bin(), count: binCount)

    /// Nothing heard yet.
    public init() {}

    /// A second with a confidence.
    public mutating func add(confidence: Double, isRight: Bool) {
        let index = min(max(Int(confidence * Double(Self.binCount)), 0), Self.binCount - 1)
        bins[index].seconds += 1
        bins[index].right += isRight ? 1 : 0
        bins[index].confidence += confidence
    }

    /// The seconds of another tally too.
    public mutating func add(_ other: ConfidenceTally) {
        for index in bins.indices {
            bins[index].seconds += other.bins[index].seconds
            bins[index].right += other.bins[index].right
            bins[index].confidence += other.bins[index].confidence
        }
    }

    /// Weighs seconds of pedalling: the windows about a second, all relied on, must hold its cadence between them.
    public init(
        windows: [CadenceTruthFile.Window], seconds: [(cadence: Double, confidence: Double)], zeroSeconds: Double
    ) {
        for (index, second) in seconds.enumerated() where second.cadence > 0 {
            let time = Double(index) - CadenceError.reportDelaySeconds + zeroSeconds
            let about = windows.filter { $0.startSeconds <= time && time <= $0.endSeconds }
            guard !about.isEmpty, about.allSatisfy({ $0.confidence == CadenceError.usedConfidence }) else { continue }
            let truth = about.reduce(0) { $0 + $1.rpm } / Double(about.count)
            add(confidence: second.confidence, isRight: abs(second.cadence - truth) <= Self.rightRPM)
        }
    }

    /// Weighs seconds of walking against the times of true steps.
    public init(steps: [Double], seconds: [(cadence: Double, confidence: Double)], zeroSeconds: Double) {
        for (index, second) in seconds.enumerated() where second.cadence > 0 {
            let time = Double(index) - CadenceError.reportDelaySeconds + zeroSeconds
            let about = steps.filter { abs($0 - time) <= Self.reachSeconds }
            guard about.count >= Self.leastSteps, let first = about.first, let last = about.last, last > first else {
                continue
            }
            let truth = 60 * Double(about.count - 1) / (last - first)
            add(confidence: second.confidence, isRight: abs(second.cadence - truth) <= Self.rightShare * truth)
        }
    }
}
