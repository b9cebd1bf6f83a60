import Wire

/// The distribution of errors.
package struct ErrorDistribution: Sendable {
    let count: Int
    /// The middle one; the mean of the two in the middle of an even count.
    let median: Double
    package let mean: Double
    /// The least error that nine in ten do not exceed (nearest rank).
    let ninetiethPercentile: Double

    /// Nil where there are no errors.
    package init?(_ errors: [Double]) {
        guard !errors.isEmpty else { return nil }
        let sorted = errors.sorted()
        count = sorted.count
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
        mean = sorted.reduce(0, +) / Double(count)
        ninetiethPercentile = sorted[(count * 9 + 9) / 10 - 1]
    }
}

/// The error of the counted cadence, a window at a time.
package struct CadenceError: Sendable {
    /// The seconds by which a reported cadence looks back: that of a bike.
    package static let reportDelaySeconds = 2.0
    /// Only windows whose truth may be relied on are used.
    static let usedConfidence = 1.0

    /// The absolute errors, in rpm.
    private(set) var absoluteErrors: [Double] = []

    init() {}

    /// Compares the mean of the reported cadence, a value a second from `zeroSeconds` on the clock of the windows, in
    /// each window; a second without cadence counts as 0 rpm.
    init(windows: [CadenceWindow], reportedRPM: [Double], zeroSeconds: Double) {
        for window in windows where window.confidence == Self.usedConfidence {
            let from = window.startSeconds + Self.reportDelaySeconds - zeroSeconds
            let to = window.endSeconds + Self.reportDelaySeconds - zeroSeconds
            let reported = reportedRPM.enumerated().filter { Double($0.offset) > from && Double($0.offset) <= to }
            guard !reported.isEmpty else { continue }
            let mean = reported.reduce(0) { $0 + $1.element } / Double(reported.count)
            absoluteErrors.append(abs(mean - window.rpm))
        }
    }

    mutating func add(_ other: CadenceError) {
        absoluteErrors += other.absoluteErrors
    }

    /// The mean absolute error in rpm; nil without windows.
    var meanAbsoluteError: Double? {
        absoluteErrors.isEmpty ? nil : absoluteErrors.reduce(0, +) / Double(absoluteErrors.count)
    }

    /// The share of windows whose error is at most `limit`, in rpm, 0 to 1; nil without windows.
    func share(withinRPM limit: Double) -> Double? {
        guard !absoluteErrors.isEmpty else { return nil }
        return Double(absoluteErrors.filter { $0 <= limit }.count) / Double(absoluteErrors.count)
    }
}

/// The share of right cadences at each confidence: of a calibrated one, 0.9 is right nine times in ten.
package struct ConfidenceTally: Sendable, Equatable {
    /// Confidences are grouped by tenths.
    static let binCount = 10
    /// A cadence of pedalling is right within this error, in rpm.
    package static let rightRPM = 5.0
    /// A cadence of steps within this share of the truth is right.
    static let rightShare = 0.05
    /// The steps that give a second its true cadence: within `reachSeconds` of it, and at least `leastSteps`.
    private static let reachSeconds = 2.5
    private static let leastSteps = 4

    /// The seconds of one tenth.
    package struct Bin: Sendable, Equatable {
        /// Seconds with a cadence.
        package var seconds = 0
        /// Those that were right.
        var right = 0
        /// The sum of their confidences.
        var confidence = 0.0

        /// The mean of the confidences, 0 to 1.
        package var meanConfidence: Double { confidence / Double(max(seconds, 1)) }
        /// The share that was right, 0 to 1.
        package var rightShare: Double { Double(right) / Double(max(seconds, 1)) }
    }

    package private(set) var bins = [Bin](repeating: Bin(), count: binCount)

    package init() {}

    /// A second with a confidence.
    package mutating func add(confidence: Double, isRight: Bool) {
        let index = min(max(Int(confidence * Double(Self.binCount)), 0), Self.binCount - 1)
        bins[index].seconds += 1
        bins[index].right += isRight ? 1 : 0
        bins[index].confidence += confidence
    }

    package mutating func add(_ other: ConfidenceTally) {
        for index in bins.indices {
            bins[index].seconds += other.bins[index].seconds
            bins[index].right += other.bins[index].right
            bins[index].confidence += other.bins[index].confidence
        }
    }

    /// Weighs seconds of pedalling: the windows about a second, all relied on, must hold its cadence between them.
    init(
        windows: [CadenceWindow], seconds: [(cadence: Double, confidence: Double)], zeroSeconds: Double
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
    init(steps: [Double], seconds: [(cadence: Double, confidence: Double)], zeroSeconds: Double) {
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

/// The seconds reported as each activity.
struct ActivityTally: Sendable {
    /// The seconds, in the order of `ActivityKind`.
    private(set) var seconds = [Int](repeating: 0, count: ActivityKind.allCases.count)

    /// The reports, second by second.
    init(_ kinds: some Sequence<ActivityKind> = []) {
        for kind in kinds { seconds[Int(kind.rawValue)] += 1 }
    }

    mutating func add(_ other: ActivityTally) {
        for index in seconds.indices { seconds[index] += other.seconds[index] }
    }

    var total: Int { seconds.reduce(0, +) }

    /// The share of the seconds that was reported as one activity, 0 to 1.
    func share(of kind: ActivityKind) -> Double {
        Double(seconds[Int(kind.rawValue)]) / Double(max(total, 1))
    }
}
