import Wire

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
    public var activityTableLines: [String] {
        Self.table(Self.activityHeadings, activityCells)
    }

    var activityMarkdown: String { Self.markdown(Self.activityHeadings, activityCells) }
}
