/// The figures of one group of recordings, a line of the table of an evaluation.
struct GroupResult: Sendable {
    let key: GroupKey
    let count: Int
    /// Absolute percentage errors of the recordings in which steps were made.
    let stepErrors: ErrorDistribution?
    /// All steps counted in those over all that were made.
    let totalRatio: Double?
    /// Steps counted a minute where none was made.
    let falseStepsPerMinute: Double?

    init(key: GroupKey, results: [RecordingResult]) {
        self.key = key
        count = results.count
        stepErrors = ErrorDistribution(results.compactMap(\.absolutePercentageError))
        func ratio(_ results: [RecordingResult], _ whole: (RecordingResult) -> Double) -> Double? {
            let sum = results.reduce(0) { $0 + whole($1) }
            return sum > 0 ? Double(results.reduce(0) { $0 + $1.steps }) / sum : nil
        }
        totalRatio = ratio(results.filter { $0.trueSteps ?? 0 > 0 }) { Double($0.trueSteps ?? 0) }
        falseStepsPerMinute = ratio(results.filter { $0.trueSteps == 0 }, \.minutes)
    }

    /// The groups of recordings whose steps are known, in order.
    static func all(of results: [RecordingResult]) -> [GroupResult] {
        Dictionary(grouping: results.filter { $0.trueSteps != nil }, by: \.key)
            .map { GroupResult(key: $0.key, results: $0.value) }
            .sorted { $0.key < $1.key }
    }
}

extension TextTable {
    /// How well recordings were counted, a line a group.
    package init(evaluating results: [RecordingResult]) {
        let numbers = ["n", "median %", "mean %", "p90 %", "total", "false/min"]
        self.init(columns: GroupKey.headings.map { .words($0) } + numbers.map { .numbers($0) })
        for group in GroupResult.all(of: results) {
            append(
                group.key.cells + [
                    "\(group.count)", DecimalText.text(group.stepErrors?.median, decimals: 1),
                    DecimalText.text(group.stepErrors?.mean, decimals: 1),
                    DecimalText.text(group.stepErrors?.ninetiethPercentile, decimals: 1),
                    DecimalText.text(group.totalRatio, decimals: 3),
                    DecimalText.text(group.falseStepsPerMinute, decimals: 2),
                ])
        }
    }
}
