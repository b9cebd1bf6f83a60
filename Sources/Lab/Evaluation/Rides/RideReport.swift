/// The results of simulated rides, a line for each of their conditions in the order of their first ride.
package struct RideReport: Sendable, Equatable {
    /// The share of a ride's seconds from which on it is called wrong by an octave.
    package static let octaveRideShare = 0.1

    /// Every ride.
    package let rides: [RideResult]

    /// A report on rides.
    package init(rides: [RideResult]) {
        self.rides = rides
    }

    /// The table, a line each under a heading.
    package var tableLines: [String] {
        guard let first = rides.first else { return [] }
        var table = TextTable(columns: (first.conditions.headings + Self.headings).map { .numbers($0) })
        var seen: Set<RideConditions> = []
        for conditions in rides.map(\.conditions) where seen.insert(conditions).inserted {
            table.append(Self.cells(conditions, rides.filter { $0.conditions == conditions }))
        }
        return table.lines
    }

    /// How often the cadence was right at each confidence, a line each; tenths in which nothing was said are left out.
    package var confidenceLines: [String] {
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
        "rides", "revolutions mean %", "worst %", "rpm MAE", "within 5 rpm %", "silent %", "octave %", "octave rides",
        "false at rest %", "steps/min",
    ]

    private static func cells(_ conditions: RideConditions, _ rides: [RideResult]) -> [String] {
        let errors = rides.compactMap(\.revolutionError)
        let octaves = rides.filter { Double($0.octaveSeconds) > octaveRideShare * Double($0.movingSeconds) }
        func share(_ part: KeyPath<RideResult, Int>, of whole: KeyPath<RideResult, Int>) -> String {
            EvaluationReport.percent(rides.map { $0[keyPath: part] }, of: rides.map { $0[keyPath: whole] })
        }
        let minutes = Double(rides.reduce(0) { $0 + $1.seconds }) / 60
        return conditions.cells + [
            "\(rides.count)",
            EvaluationReport.text(ErrorDistribution(errors)?.mean, decimals: 1),
            EvaluationReport.text(errors.max(), decimals: 1),
            EvaluationReport.text(ErrorDistribution(rides.flatMap(\.absoluteErrors))?.mean, decimals: 2),
            share(\.rightSeconds, of: \.movingSeconds), share(\.silentSeconds, of: \.movingSeconds),
            share(\.octaveSeconds, of: \.movingSeconds), "\(octaves.count)",
            share(\.falseSeconds, of: \.restSeconds),
            EvaluationReport.text(Double(rides.reduce(0) { $0 + $1.steps }) / minutes, decimals: 1),
        ]
    }
}
