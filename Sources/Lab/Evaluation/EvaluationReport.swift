import Wire

/// The results of a folder, a group at a time.
package struct EvaluationReport: Sendable {
    /// Every recording, in the order in which it was counted.
    let recordings: [RecordingResult]
    /// The groups, in order.
    let groups: [GroupResult]

    package init(_ recordings: [RecordingResult]) {
        self.recordings = recordings
        groups = Dictionary(grouping: recordings, by: \.key)
            .map { GroupResult(key: $0.key, results: $0.value) }
            .sorted { $0.key < $1.key }
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

    package static func text(_ value: Double?, decimals: Int) -> String {
        value.map { DecimalText.fixed($0, decimals: decimals) } ?? ""
    }
}

extension EvaluationReport {
    /// The reported activities of the groups, of those too of which no number is known.
    var activityRows: [(key: GroupKey, tally: ActivityTally)] {
        Dictionary(grouping: recordings, by: \.key)
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
    /// The seconds whose confidence lies in one tenth, of `steps` and of `pedalling`; tenths without a report are left
    /// out.
    var confidenceRows: [(cadence: String, bin: ConfidenceTally.Bin)] {
        let kinds: [(String, (RecordingResult) -> ConfidenceTally)] = [
            ("steps", \.stepConfidence), ("pedalling", \.rideConfidence),
        ]
        return kinds.flatMap { name, tally in
            recordings.reduce(into: ConfidenceTally()) { $0.add(tally($1)) }
                .bins.filter { $0.seconds > 0 }.map { (name, $0) }
        }
    }

    /// The share of right cadences at each confidence.
    package var confidenceTable: TextTable {
        let rows = confidenceRows.map { row in
            [
                row.cadence, "\(row.bin.seconds)", Self.text(row.bin.meanConfidence, decimals: 2),
                Self.text(row.bin.rightShare, decimals: 2),
            ]
        }
        return TextTable(words: ["cadence of"], numbers: ["seconds", "confidence", "right"], rows: rows)
    }
}

extension TextTable {
    /// Columns of words, then columns of numbers.
    fileprivate init(words: [String], numbers: [String], rows: [[String]]) {
        self.init(columns: words.map { .words($0) } + numbers.map { .numbers($0) })
        for cells in rows { append(cells) }
    }
}

extension GroupKey {
    static let headings = ["recordings", "placement", "activity"]

    var cells: [String] { [folder, placement.rawValue, activity.rawValue] }
}

extension EvaluationReport {
    /// One JSON object: `{"groups":[…], "confidence":[…], "activities":[…], "recordings":[…]}`; what is not known is
    /// `null`.
    package func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("groups", objects: groups, Self.write)
            writer.field("confidence", objects: confidenceRows) { row, writer in
                writer.field("cadence", row.cadence)
                writer.field("seconds", row.bin.seconds)
                writer.field("confidence", row.bin.meanConfidence, decimals: 3)
                writer.field("right", row.bin.rightShare, decimals: 3)
            }
            writer.field("activities", objects: activityRows) { row, writer in
                Self.write(row.key, to: &writer)
                for kind in ActivityKind.allCases {
                    writer.field("\(kind.name)_s", row.tally.seconds[Int(kind.rawValue)])
                }
            }
            writer.field("recordings", objects: recordings, Self.write)
        }
    }

    private static func write(_ group: GroupResult, to writer: inout JSONWriter) {
        write(group.key, to: &writer)
        writer.field("n", group.count)
        writer.field("median_ape", group.stepErrors?.median, decimals: 3)
        writer.field("mean_ape", group.stepErrors?.mean, decimals: 3)
        writer.field("p90_ape", group.stepErrors?.ninetiethPercentile, decimals: 3)
        writer.field("best_subject_ape", group.subjectErrors.first, decimals: 3)
        writer.field("worst_subject_ape", group.subjectErrors.last, decimals: 3)
        writer.field("total_ratio", group.totalRatio, decimals: 4)
        writer.field("false_steps_per_minute", group.falseStepsPerMinute, decimals: 3)
        write(group.cadence, to: &writer)
    }

    private static func write(_ recording: RecordingResult, to writer: inout JSONWriter) {
        writer.field("file", recording.file)
        writer.field("subject", recording.subject)
        write(recording.key, to: &writer)
        writer.field("minutes", recording.minutes, decimals: 3)
        writer.field("true_steps", recording.trueSteps)
        writer.field("steps", recording.steps)
        writer.field("revolutions", recording.revolutions)
        writer.field("ape", recording.absolutePercentageError, decimals: 3)
        write(recording.cadence, to: &writer)
    }

    private static func write(_ key: GroupKey, to writer: inout JSONWriter) {
        for (name, word) in zip(["folder", "placement", "activity"], key.cells) { writer.field(name, word) }
    }

    private static func write(_ cadence: CadenceError, to writer: inout JSONWriter) {
        writer.field("rpm_windows", cadence.absoluteErrors.count)
        writer.field("rpm_mae", cadence.meanAbsoluteError, decimals: 3)
        writer.field("rpm_share_within_3", cadence.share(withinRPM: 3), decimals: 4)
        writer.field("rpm_share_within_5", cadence.share(withinRPM: 5), decimals: 4)
    }
}
