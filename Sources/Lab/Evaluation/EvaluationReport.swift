import Wire

/// The results of a folder, a group at a time, and when and of which program they are.
package struct EvaluationReport: Sendable {
    /// The day of the evaluation, `YYYY-MM-DD`.
    let date: String
    /// The commit of the program; empty where it is not given.
    let commit: String
    /// Every recording, in the order in which it was counted.
    let recordings: [RecordingResult]
    /// The same, varied.
    let variations: [RecordingResult]
    /// The groups, in order.
    let groups: [GroupResult]

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
    var unmeasuredCount: Int {
        groups.filter { !$0.isMeasured }.reduce(0) { $0 + $1.count }
    }

    /// The groups that have a truth.
    package var groupTable: TextTable {
        let headings = [
            "n", "median %", "mean %", "p90 %", "by subject %", "total", "false/min", "windows", "rpm MAE", "in 3 rpm",
            "in 5 rpm",
        ]
        let rows = groups.filter(\.isMeasured).map { group in
            let cadence = group.cadence
            return group.key.cells + [
                "\(group.count)", Self.text(group.stepErrors?.median, decimals: 1),
                Self.text(group.stepErrors?.mean, decimals: 1),
                Self.text(group.stepErrors?.ninetiethPercentile, decimals: 1),
                Self.spread(group.subjectErrors), Self.text(group.totalRatio, decimals: 3),
                Self.text(group.falseStepsPerMinute, decimals: 2),
                cadence.absoluteErrors.isEmpty ? "" : "\(cadence.absoluteErrors.count)",
                Self.text(cadence.meanAbsoluteError, decimals: 2),
                Self.text(cadence.share(withinRPM: 3), decimals: 2),
                Self.text(cadence.share(withinRPM: 5), decimals: 2),
            ]
        }
        return TextTable(words: GroupKey.headings, numbers: headings, rows: rows)
    }

    /// The best and the worst subject, where there are several.
    private static func spread(_ errors: [Double]) -> String {
        guard errors.count > 1, let best = errors.first, let worst = errors.last else { return "" }
        return "\(text(best, decimals: 1))…\(text(worst, decimals: 1)) of \(errors.count)"
    }

    static func text(_ value: Double?, decimals: Int) -> String {
        value.map { DecimalText.fixed($0, decimals: decimals) } ?? ""
    }
}

extension EvaluationReport {
    /// The reported activities of the groups as they were recorded, of those too of which no number is known.
    var activityRows: [(key: GroupKey, tally: ActivityTally)] {
        Dictionary(grouping: recordings.filter { !$0.isResampled }, by: \.key)
            .map { key, results in (key, results.reduce(into: ActivityTally()) { $0.add($1.activities) }) }
            .sorted { $0.key < $1.key }
    }

    /// The reported activities, a line each group.
    package var activityTable: TextTable {
        let rows = activityRows.map { row in
            row.key.cells + ["\(row.tally.total)"]
                + ActivityKind.allCases.map { Self.text(100 * row.tally.share(of: $0), decimals: 0) }
        }
        return TextTable(
            words: GroupKey.headings, numbers: ["seconds"] + ActivityKind.allCases.map { "\($0.name) %" }, rows: rows)
    }
}

extension EvaluationReport {
    /// The seconds of each half of the subjects whose confidence lies in one tenth, of `steps` and of `pedalling`, as
    /// they were recorded; tenths without a report are left out.
    var confidenceRows: [(cadence: String, half: SubjectHalf, bin: ConfidenceTally.Bin)] {
        let kinds: [(String, (RecordingResult) -> ConfidenceTally)] = [
            ("steps", \.stepConfidence), ("pedalling", \.rideConfidence),
        ]
        return kinds.flatMap { name, tally in
            SubjectHalf.allCases.flatMap { half in
                recordings.filter { $0.key.half == half && !$0.isResampled }
                    .reduce(into: ConfidenceTally()) { $0.add(tally($1)) }
                    .bins.filter { $0.seconds > 0 }.map { (name, half, $0) }
            }
        }
    }

    var confidenceTable: TextTable {
        let rows = confidenceRows.map { row in
            [
                row.cadence, row.half.rawValue, "\(row.bin.seconds)", Self.text(row.bin.meanConfidence, decimals: 2),
                Self.text(row.bin.rightShare, decimals: 2),
            ]
        }
        return TextTable(words: ["cadence of", "half"], numbers: ["seconds", "confidence", "right"], rows: rows)
    }

    /// The groups of which every true step has its time.
    var truthTable: TextTable {
        let headings = [
            "steps", "too soon %", "too late %", "median %", "mean %", "without them: median %", "mean %",
        ]
        let rows = groups.filter { $0.spacing.count > 0 }.map { group in
            let percent = 100 / Double(group.spacing.count)
            let shares: [Double?] = [Double(group.spacing.near) * percent, Double(group.spacing.far) * percent]
            let errors = [
                group.stepErrors?.median, group.stepErrors?.mean, group.evenStepErrors?.median,
                group.evenStepErrors?.mean,
            ]
            return group.key.cells + ["\(group.spacing.count)"] + (shares + errors).map { Self.text($0, decimals: 2) }
        }
        return TextTable(words: GroupKey.headings, numbers: headings, rows: rows)
    }
}

extension EvaluationReport {
    /// The figures that are compared, and their decimals.
    private static let figures: [(name: String, decimals: Int, value: @Sendable (GroupResult) -> Double?)] = [
        ("mean %", 1, { $0.stepErrors?.mean }), ("false/min", 2, { $0.falseStepsPerMinute }),
        ("rpm MAE", 2, { $0.cadence.meanAbsoluteError }),
    ]

    /// The figures of the groups that have varied results: as recorded, and by each variation in their order.
    var variationRows: [(key: GroupKey, figure: String, decimals: Int, values: [Double?])] {
        let varied = Dictionary(grouping: variations, by: \.key)
        return groups.flatMap { group -> [(GroupKey, String, Int, [Double?])] in
            guard let results = varied[group.key] else { return [] }
            let groups = Variation.allCases.map { variation in
                GroupResult(key: group.key, results: results.filter { $0.variation == variation })
            }
            return Self.figures.compactMap { figure in
                guard let recorded = figure.value(group) else { return nil }
                return (group.key, figure.name, figure.decimals, [recorded] + groups.map(figure.value))
            }
        }
    }

    static let variationHeadings = ["recorded"] + Variation.allCases.map(\.rawValue)

    /// The figures of the varied recordings, a line each group and figure.
    package var variationTable: TextTable {
        let rows = variationRows.map { row in
            row.key.cells + [row.figure] + row.values.map { Self.text($0, decimals: row.decimals) }
        }
        return TextTable(words: GroupKey.headings + ["figure"], numbers: Self.variationHeadings, rows: rows)
    }
}

extension TextTable {
    /// Columns of words, then columns of numbers.
    fileprivate init(words: [String], numbers: [String], rows: [[String]]) {
        self.init(columns: words.map { .words($0) } + numbers.map { .numbers($0) })
        for cells in rows { append(cells) }
    }

    var markdown: String {
        let rule = columns.map { $0.isNumeric ? "--:" : "---" }
        return ([columns.map(\.title), rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }
}

extension GroupKey {
    static let headings = ["recordings", "placement", "activity", "half"]

    var cells: [String] { [folder, placement.rawValue, activity.rawValue, half.rawValue] }
}
