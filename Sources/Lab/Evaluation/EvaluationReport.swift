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

    /// The groups that have a truth.
    package var groupTable: ReportTable {
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
        return ReportTable(words: GroupKey.headings, numbers: headings, rows: rows)
    }

    /// The best and the worst subject, where there are several.
    private static func spread(_ errors: [Double]) -> String {
        guard errors.count > 1, let best = errors.first, let worst = errors.last else { return "" }
        return "\(text(best, decimals: 1))…\(text(worst, decimals: 1)) of \(errors.count)"
    }

    static func text(_ value: Double?, decimals: Int) -> String {
        value.map { DecimalText.fixed($0, decimals: decimals) } ?? ""
    }

    /// The sum of some counts in percent of the sum of others; empty where that is 0.
    static func percent(_ parts: [Int], of wholes: [Int]) -> String {
        let whole = wholes.reduce(0, +)
        return text(whole > 0 ? 100 * Double(parts.reduce(0, +)) / Double(whole) : nil, decimals: 1)
    }
}

extension EvaluationReport {
    /// The reported activities of the recordings of one group.
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

    /// The reported activities, a line each group.
    package var activityTable: ReportTable {
        let rows = activityRows.map { row in
            row.key.cells + ["\(row.tally.total)"]
                + ActivityKind.allCases.map { Self.text(100 * row.tally.share(of: $0), decimals: 0) }
        }
        return ReportTable(
            words: GroupKey.headings, numbers: ["seconds"] + ActivityKind.allCases.map { "\($0.name) %" }, rows: rows)
    }
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

    /// The share of right cadences at each confidence; tenths without a report are left out.
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

    var confidenceTable: ReportTable {
        let rows = confidenceRows.map { row in
            [
                row.cadence, row.half.rawValue, "\(row.bin.seconds)", Self.text(row.meanConfidence, decimals: 2),
                Self.text(row.rightShare, decimals: 2),
            ]
        }
        return ReportTable(words: ["cadence of", "half"], numbers: ["seconds", "confidence", "right"], rows: rows)
    }

    /// The groups of which every true step has its time.
    var truthTable: ReportTable {
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
        return ReportTable(words: GroupKey.headings, numbers: headings, rows: rows)
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

    /// The figures that are compared.
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

    /// The figures of the varied recordings, a line each group and figure.
    package var variationTable: ReportTable {
        let rows = variationRows.map { row in
            row.key.cells + [row.figure.rawValue]
                + row.values.map { Self.text($0, decimals: row.figure.decimals) }
        }
        return ReportTable(
            words: GroupKey.headings + ["figure"], numbers: ["recorded"] + Variation.allCases.map(\.words), rows: rows)
    }
}

/// A table of a report: columns of words, then columns of numbers.
package struct ReportTable {
    let words: [String]
    let numbers: [String]
    let rows: [[String]]

    /// The lines for a terminal.
    package var lines: [String] {
        var table = TextTable(columns: words.map { .words($0) } + numbers.map { .numbers($0) })
        for cells in rows { table.append(cells) }
        return table.lines
    }

    var markdown: String {
        let rule = words.map { _ in "---" } + numbers.map { _ in "--:" }
        return ([words + numbers, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }
}

extension GroupKey {
    static let headings = ["recordings", "placement", "activity", "half"]

    var cells: [String] { [folder, placement.rawValue, activity.rawValue, half.rawValue] }
}
