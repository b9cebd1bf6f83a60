/// How far counted cadence is from the truth, a window at a time.
public struct CadenceError: Sendable, Equatable {
    /// The seconds by which a reported cadence looks back: it is that of the middle of what the lag products remember.
    public static let reportDelaySeconds = 2.0
    /// Only windows whose truth may be relied on are used.
    public static let usedConfidence = 1.0

    /// The absolute errors, in rpm.
    public private(set) var absoluteErrors: [Double] = []

    /// No window compared yet.
    public init() {}

    /// Compares the mean of the reported cadence in each window; a second without cadence counts as 0 rpm.
    ///
    /// - Parameters:
    ///   - windows: the truth.
    ///   - reportedRPM: what was counted, a value a second.
    ///   - zeroSeconds: the time of the first value on the clock of the windows.
    public init(windows: [CadenceTruthFile.Window], reportedRPM: [Double], zeroSeconds: Double) {
        for window in windows where window.confidence == Self.usedConfidence {
            let from = window.startSeconds + Self.reportDelaySeconds - zeroSeconds
            let to = window.endSeconds + Self.reportDelaySeconds - zeroSeconds
            let reported = reportedRPM.enumerated().filter { Double($0.offset) > from && Double($0.offset) <= to }
            guard !reported.isEmpty else { continue }
            let mean = reported.reduce(0) { $0 + $1.element } / Double(reported.count)
            absoluteErrors.append(abs(mean - window.rpm))
        }
    }

    /// Takes the windows of another recording too.
    public mutating func add(_ other: CadenceError) {
        absoluteErrors += other.absoluteErrors
    }

    /// The mean absolute error in rpm; nil without windows.
    public var meanAbsoluteError: Double? {
        absoluteErrors.isEmpty ? nil : absoluteErrors.reduce(0, +) / Double(absoluteErrors.count)
    }

    /// The share of windows whose error is at most so many rpm, 0 to 1; nil without windows.
    public func share(withinRPM limit: Double) -> Double? {
        guard !absoluteErrors.isEmpty else { return nil }
        return Double(absoluteErrors.filter { $0 <= limit }.count) / Double(absoluteErrors.count)
    }
}
