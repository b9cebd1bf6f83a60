import Wire

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
