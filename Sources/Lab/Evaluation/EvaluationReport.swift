import Wire

/// The results of a folder, a group at a time, and when and of which program they are.
package struct EvaluationReport: Sendable, Equatable {
    /// The day of the evaluation, `YYYY-MM-DD`.
    package let date: String
    /// The commit of the program; empty where it is not given.
    package let commit: String
    /// Every recording, in the order in which it was counted.
    package let recordings: [RecordingResult]
    /// The same, varied.
    package let variations: [RecordingResult]
    /// The groups, in order.
    package let groups: [GroupResult]

    /// A report on results, varied ones among them.
    package init(date: String, commit: String, results: [RecordingResult]) {
        self.date = date
        self.commit = commit
        recordings = results.filter { $0.variation == nil }
        variations = results.filter { $0.variation != nil }
        groups = Dictionary(grouping: recordings, by: \.key)
            .map { GroupResult(key: $0.key, results: $0.value) }
            .sorted { $0.key < $1.key }
    }

    /// Recordings of groups in which nothing is known to compare with.
    package var unmeasuredCount: Int {
        groups.filter { !$0.isMeasured }.reduce(0) { $0 + $1.count }
    }

    /// The table of the groups that have a truth, a line each under a heading.
    package var tableLines: [String] {
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

extension EvaluationReport {
    /// What was told of the recordings of one group.
    struct ActivityRow: Sendable, Equatable {
        let key: GroupKey
        let tally: ActivityTally
    }

    /// As they were recorded, those groups too of which no number is known.
    var activityRows: [ActivityRow] {
        Dictionary(grouping: recordings.filter { !$0.isResampled }, by: \.key)
            .map { key, results in
                ActivityRow(key: key, tally: results.reduce(into: ActivityTally()) { $0.add($1.activities) })
            }
            .sorted { $0.key < $1.key }
    }

    static let activityHeadings =
        ["recordings", "placement", "activity", "half", "seconds"] + ActivityKind.allCases.map { "\($0.name) %" }

    private var activityCells: [[String]] {
        activityRows.map { row in
            [
                row.key.folder, row.key.placement.rawValue, row.key.activity.rawValue, row.key.half.rawValue,
                "\(row.tally.total)",
            ] + ActivityKind.allCases.map { Self.text(100 * row.tally.share(of: $0), decimals: 0) }
        }
    }

    /// The table of what was told, a line each group under a heading.
    package var activityTableLines: [String] {
        Self.table(Self.activityHeadings, activityCells)
    }

    var activityMarkdown: String { Self.markdown(Self.activityHeadings, activityCells) }
}

extension EvaluationReport {
    /// The seconds of one half whose confidence lay in one tenth.
    package struct ConfidenceRow: Sendable, Equatable {
        /// `steps` or `pedalling`.
        package let cadence: String
        /// Of whom.
        package let half: SubjectHalf
        /// The seconds.
        package let bin: ConfidenceTally.Bin

        /// The mean of what was said, 0 to 1.
        package var meanConfidence: Double { bin.confidence / Double(max(bin.seconds, 1)) }
        /// The share that was right, 0 to 1.
        package var rightShare: Double { Double(bin.right) / Double(max(bin.seconds, 1)) }
    }

    /// How often the cadence was right at each confidence; tenths in which nothing was said are left out.
    package var confidenceRows: [ConfidenceRow] {
        let kinds: [(String, KeyPath<RecordingResult, ConfidenceTally>)] = [
            ("steps", \.stepConfidence), ("pedalling", \.rideConfidence),
        ]
        return kinds.flatMap { name, tally in
            SubjectHalf.allCases.sorted().flatMap { half in
                sum(tally, half).bins.filter { $0.seconds > 0 }
                    .map { ConfidenceRow(cadence: name, half: half, bin: $0) }
            }
        }
    }

    /// As they were recorded.
    private func sum(_ tally: KeyPath<RecordingResult, ConfidenceTally>, _ half: SubjectHalf) -> ConfidenceTally {
        recordings.filter { $0.key.half == half && !$0.isResampled }
            .reduce(into: ConfidenceTally()) { $0.add($1[keyPath: tally]) }
    }

    var confidenceMarkdown: String {
        let rows = confidenceRows.map { row in
            [
                row.cadence, row.half.rawValue, "\(row.bin.seconds)", Self.text(row.meanConfidence, decimals: 2),
                Self.text(row.rightShare, decimals: 2),
            ]
        }
        return Self.markdown(["cadence of", "half", "seconds", "confidence", "right"], rows, wordColumns: 2)
    }
}

extension EvaluationReport {
    /// The groups of which every true step has its time.
    var truthRows: [GroupResult] { groups.filter { $0.spacing.count > 0 } }

    private static let truthHeadings = [
        "recordings", "placement", "activity", "half", "steps", "too soon %", "too late %", "median %", "mean %",
        "without them: median %", "mean %",
    ]

    var truthMarkdown: String {
        let rows = truthRows.map { group in
            let percent = 100 / Double(group.spacing.count)
            return [
                group.key.folder, group.key.placement.rawValue, group.key.activity.rawValue, group.key.half.rawValue,
                "\(group.spacing.count)", Self.text(Double(group.spacing.near) * percent, decimals: 2),
                Self.text(Double(group.spacing.far) * percent, decimals: 2),
                Self.text(group.stepErrors?.median, decimals: 2), Self.text(group.stepErrors?.mean, decimals: 2),
                Self.text(group.evenStepErrors?.median, decimals: 2),
                Self.text(group.evenStepErrors?.mean, decimals: 2),
            ]
        }
        return Self.markdown(Self.truthHeadings, rows)
    }
}

extension EvaluationReport {
    /// One figure of one group, as recorded and varied.
    struct VariationRow: Sendable, Equatable {
        let key: GroupKey
        let figure: Figure
        /// As recorded, and by each variation in their order.
        let values: [Double?]
    }

    /// What is compared.
    enum Figure: String, Sendable, CaseIterable {
        case meanPercent = "mean %"
        case falseStepsPerMinute = "false/min"
        case cadenceRPM = "rpm MAE"

        func value(_ group: GroupResult) -> Double? {
            switch self {
            case .meanPercent: group.stepErrors?.mean
            case .falseStepsPerMinute: group.falseStepsPerMinute
            case .cadenceRPM: group.cadence.meanAbsoluteError
            }
        }

        var decimals: Int { self == .meanPercent ? 1 : 2 }
    }

    /// The figures of the groups as they were recorded that have varied results.
    var variationRows: [VariationRow] {
        let varied = Dictionary(grouping: variations, by: \.key)
        return groups.flatMap { group -> [VariationRow] in
            guard let results = varied[group.key] else { return [] }
            let groups = Variation.allCases.map { variation in
                GroupResult(key: group.key, results: results.filter { $0.variation == variation })
            }
            return Figure.allCases.compactMap { figure in
                guard let recorded = figure.value(group) else { return nil }
                return VariationRow(key: group.key, figure: figure, values: [recorded] + groups.map(figure.value))
            }
        }
    }

    private static let variationHeadings =
        ["recordings", "placement", "activity", "half", "figure", "recorded"] + Variation.allCases.map(\.words)
    /// So many columns at the left are words.
    private static let variationWordColumns = 5

    private var variationCells: [[String]] {
        variationRows.map { row in
            [
                row.key.folder, row.key.placement.rawValue, row.key.activity.rawValue, row.key.half.rawValue,
                row.figure.rawValue,
            ] + row.values.map { Self.text($0, decimals: row.figure.decimals) }
        }
    }

    /// The table of how far figures hang on the recordings as they are, a line each under a heading.
    package var variationTableLines: [String] {
        Self.table(Self.variationHeadings, variationCells, wordColumns: Self.variationWordColumns)
    }

    var variationMarkdown: String {
        Self.markdown(Self.variationHeadings, variationCells, wordColumns: Self.variationWordColumns)
    }
}
