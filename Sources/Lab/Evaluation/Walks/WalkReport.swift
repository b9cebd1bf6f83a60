/// The results of simulated walks, a line for each of their conditions in the order of their first walk.
package struct WalkReport: Sendable, Equatable {
    /// Every walk.
    package let walks: [WalkResult]

    /// A report on walks.
    package init(walks: [WalkResult]) {
        self.walks = walks
    }

    /// The table, a line each under a heading.
    package var tableLines: [String] {
        var table = TextTable(columns: [.words("steps a minute")] + Self.headings.map { .numbers($0) })
        var seen: Set<WalkConditions> = []
        for conditions in walks.map(\.conditions) where seen.insert(conditions).inserted {
            table.append(Self.cells(conditions, walks.filter { $0.conditions == conditions }))
        }
        return table.lines
    }

    private static let headings = [
        "walks", "mean %", "worst %", "total ratio", "silent %", "told at rest %", "false steps/min", "revolutions/min",
    ]

    private static func cells(_ conditions: WalkConditions, _ walks: [WalkResult]) -> [String] {
        let errors = walks.compactMap(\.stepError)
        let minutes = Double(walks.reduce(0) { $0 + $1.seconds }) / 60
        let (steps, truth) = walks.reduce(into: (0, 0)) { $0 = ($0.0 + $1.steps, $0.1 + $1.trueSteps) }
        func share(_ part: KeyPath<WalkResult, Int>, of whole: KeyPath<WalkResult, Int>) -> String {
            EvaluationReport.percent(walks.map { $0[keyPath: part] }, of: walks.map { $0[keyPath: whole] })
        }
        return [
            conditions.words, "\(walks.count)",
            EvaluationReport.text(ErrorDistribution(errors)?.mean, decimals: 1),
            EvaluationReport.text(errors.max(), decimals: 1),
            EvaluationReport.text(truth > 0 ? Double(steps) / Double(truth) : nil, decimals: 3),
            share(\.silentSeconds, of: \.movingSeconds), share(\.falseSeconds, of: \.restSeconds),
            EvaluationReport.text(truth > 0 ? nil : Double(steps) / minutes, decimals: 1),
            EvaluationReport.text(Double(walks.reduce(0) { $0 + $1.revolutions }) / minutes, decimals: 1),
        ]
    }
}
