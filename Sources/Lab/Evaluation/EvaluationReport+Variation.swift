import Wire

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
    public var variationTableLines: [String] {
        Self.table(Self.variationHeadings, variationCells, wordColumns: Self.variationWordColumns)
    }

    var variationMarkdown: String {
        Self.markdown(Self.variationHeadings, variationCells, wordColumns: Self.variationWordColumns)
    }
}
