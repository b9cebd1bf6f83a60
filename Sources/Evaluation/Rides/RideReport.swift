import Console

/// The results of simulated rides, a line for each of their conditions.
public struct RideReport: Sendable, Equatable {
    /// The share of a ride's seconds from which on it is called wrong by an octave.
    public static let octaveRideShare = 0.1

    /// Every ride.
    public let rides: [RideResult]

    /// A report on rides.
    public init(rides: [RideResult]) {
        self.rides = rides
    }

    /// The table, a line each under a heading.
    public var tableLines: [String] {
        var table = TextTable(columns: Self.headings.map { .numbers($0) })
        for conditions in RideConditions.all {
            let rides = rides.filter { $0.conditions == conditions }
            if !rides.isEmpty { table.append(Self.cells(conditions, rides)) }
        }
        return table.lines
    }

    /// How often the cadence was right at each confidence, a line each; tenths in which nothing was said are left out.
    public var confidenceLines: [String] {
        var table = TextTable(columns: [.numbers("confidence"), .numbers("right"), .numbers("seconds")])
        let tally = rides.reduce(into: ConfidenceTally()) { $0.add($1.confidence) }
        for bin in tally.bins where bin.seconds > 0 {
            let seconds = Double(bin.seconds)
            table.append([
                EvaluationReport.text(bin.confidence / seconds, decimals: 2),
                EvaluationReport.text(Double(bin.right) / seconds, decimals: 2), "\(bin.seconds)",
            ])
        }
        return table.lines
    }

    private static let headings = [
        "signal/noise", "2x/1x", "rides", "revolutions mean %", "worst %", "rpm MAE", "silent %", "octave %",
        "octave rides", "false at rest %",
    ]

    private static func cells(_ conditions: RideConditions, _ rides: [RideResult]) -> [String] {
        let errors = rides.compactMap(\.revolutionError)
        let off = rides.flatMap(\.absoluteErrors)
        let octaves = rides.filter { Double($0.octaveSeconds) > octaveRideShare * Double($0.movingSeconds) }
        func share(_ part: KeyPath<RideResult, Int>, of whole: KeyPath<RideResult, Int>) -> String {
            let sum = rides.reduce(0) { $0 + $1[keyPath: whole] }
            let share = 100 * Double(rides.reduce(0) { $0 + $1[keyPath: part] }) / Double(max(sum, 1))
            return EvaluationReport.text(share, decimals: 1)
        }
        return [
            EvaluationReport.text(conditions.signalToNoise, decimals: 1),
            EvaluationReport.text(conditions.secondToFirstRatio, decimals: 1), "\(rides.count)",
            EvaluationReport.text(errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count), decimals: 1),
            EvaluationReport.text(errors.max(), decimals: 1),
            EvaluationReport.text(off.isEmpty ? nil : off.reduce(0, +) / Double(off.count), decimals: 2),
            share(\.silentSeconds, of: \.movingSeconds), share(\.octaveSeconds, of: \.movingSeconds),
            "\(octaves.count)", share(\.falseSeconds, of: \.restSeconds),
        ]
    }
}
