import Wire

/// The results of a folder, a group at a time, and when and of which program they are.
public struct EvaluationReport: Sendable, Equatable {
    /// The day of the evaluation, `YYYY-MM-DD`.
    public let date: String
    /// The commit of the program; empty where nobody said.
    public let commit: String
    /// Every recording, in the order in which it was counted.
    public let recordings: [RecordingResult]
    /// The same, varied.
    public let variations: [RecordingResult]
    /// The groups, in order.
    public let groups: [GroupResult]

    /// A report on results, varied ones among them.
    public init(date: String, commit: String, results: [RecordingResult]) {
        self.date = date
        self.commit = commit
        recordings = results.filter { $0.variation == nil }
        variations = results.filter { $0.variation != nil }
        groups = Dictionary(grouping: recordings, by: \.key)
            .map { GroupResult(key: $0.key, results: $0.value) }
            .sorted { $0.key < $1.key }
    }

    /// Recordings of groups in which nothing is known to compare with.
    public var unmeasuredCount: Int {
        groups.filter { !$0.isMeasured }.reduce(0) { $0 + $1.count }
    }

    /// The table of the groups that have a truth, a line each under a heading.
    public var tableLines: [String] {
        Self.table(Self.headings, rows)
    }

    static func table(_ headings: [String], _ rows: [[String]], wordColumns: Int = wordColumns) -> [String] {
        var table = TextTable(
            columns: headings.enumerated().map {
                $0.offset < wordColumns ? .words($0.element) : .numbers($0.element)
            })
        for cells in rows { table.append(cells) }
        return table.lines
    }

    static func markdown(_ headings: [String], _ rows: [[String]], wordColumns: Int = wordColumns) -> String {
        let rule = headings.indices.map { $0 < wordColumns ? "---" : "--:" }
        return ([headings, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    static let headings = [
        "recordings", "placement", "activity", "half", "n", "median %", "mean %", "p90 %", "by subject %", "total",
        "false/min",
        "windows",
        "rpm MAE", "in 3 rpm", "in 5 rpm",
    ]
    /// So many columns at the left are words.
    static let wordColumns = 4

    var rows: [[String]] {
        groups.filter(\.isMeasured).map { group in
            let cadence = group.cadence
            return [
                group.key.folder, group.key.placement.rawValue, group.key.activity.rawValue,
                group.key.half.rawValue, "\(group.count)",
                Self.text(group.stepErrors?.median, decimals: 1), Self.text(group.stepErrors?.mean, decimals: 1),
                Self.text(group.stepErrors?.ninetiethPercentile, decimals: 1),
                Self.spread(group.subjectErrors), Self.text(group.totalRatio, decimals: 3),
                Self.text(group.falseStepsPerMinute, decimals: 2),
                cadence.absoluteErrors.isEmpty ? "" : "\(cadence.absoluteErrors.count)",
                Self.text(cadence.meanAbsoluteError, decimals: 2),
                Self.text(cadence.share(withinRPM: 3), decimals: 2),
                Self.text(cadence.share(withinRPM: 5), decimals: 2),
            ]
        }
    }

    /// The best and the worst subject, where there are several.
    private static func spread(_ errors: [Double]) -> String {
        guard errors.count > 1, let best = errors.first, let worst = errors.last else { return "" }
        return "\(text(best, decimals: 1))…\(text(worst, decimals: 1)) of \(errors.count)"
    }

    static func text(_ value: Double?, decimals: Int) -> String {
        value.map { DecimalText.fixed($0, decimals: decimals) } ?? ""
    }

    /// What share, in percent, the sum of some counts is of that of others; nothing where those are none.
    static func percent(_ parts: [Int], of wholes: [Int]) -> String {
        let whole = wholes.reduce(0, +)
        return text(whole > 0 ? 100 * Double(parts.reduce(0, +)) / Double(whole) : nil, decimals: 1)
    }
}
