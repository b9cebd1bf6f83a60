extension EvaluationReport {
    /// The report for people who read the repository.
    public var markdown: String {
        let heading = Self.headings
        let rule = heading.indices.map { $0 < 3 ? "---" : "--:" }
        let table = ([heading, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
        return """
            # Evaluation on the development recordings

            Written by `stridebus evaluate` on \(date)\(commit.isEmpty ? "" : " at commit `\(commit)`"). The same \
            recordings were at hand while thresholds were chosen, so these figures are a fit and guard against \
            regressions; they do not say how well unknown recordings are counted.

            \(table.joined(separator: "\n"))

            - *median*, *mean* and *p90* are of the absolute percentage error of steps a recording, where steps were made; \
            *total* is all steps counted over all made; *false/min* is steps counted a minute where none was made.
            - *rpm MAE* and the shares within 3 and 5 rpm compare the mean cadence of each window with its truth; only \
            windows of confidence 1 are used, and reports are taken \
            \(Int(CadenceError.reportDelaySeconds)) s late, as they look back.
            - \(recordings.count) recordings were counted with the counter's own pipeline; \(unmeasuredCount) of them \
            are in groups of which nothing is known to compare with, and are left out of the table.

            """
    }
}
