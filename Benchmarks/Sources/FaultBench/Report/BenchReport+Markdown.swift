extension BenchReport {
    /// The report as a person reads it.
    var markdown: String {
        var lines = ["# Faults", "", summary + ".", "", "Seed \(seed), \(mode) mode, \(Int(seconds)) s.", ""]
        lines += skipped.map { "Not tried: \($0)." }
        if !skipped.isEmpty { lines.append("") }
        lines += numbers + [""] + table + [""] + brokers
        return lines.joined(separator: "\n") + "\n"
    }

    private var numbers: [String] {
        [
            "| in numbers | |", "|---|---:|",
            "| faults tried | \(totals.faultsTried) |", "| of them broken | \(totals.faultsBroken) |",
            "| kills done | \(totals.kills) |", "| frames sent | \(totals.framesSent) |",
            "| frames lost | \(totals.framesLost) |", "| frames told as missing | \(totals.framesMissingTold) |",
            "| messages refused | \(totals.messagesRefused) |",
            "| worst recovery, seconds | \(Self.decimal(totals.worstRecoverySeconds)) |",
            "| peak resident memory of a service, MB | \(Int(totals.peakMegabytes.rounded())) |",
        ]
    }

    private var table: [String] {
        [
            "| fault | verdict | kills | sent | lost | told | refused | recovery s | MB before, peak, after, bound | s | detail |",
            "|---|---|---:|---:|---:|---:|---:|---:|---|---:|---|",
        ] + verdicts.map(row)
    }

    private func row(_ verdict: Verdict) -> String {
        let memory = verdict.memory.map { memory in
            let megabytes = [
                memory.beforeMegabytes, memory.peakMegabytes, memory.afterMegabytes, memory.boundMegabytes,
            ]
            return "\(memory.service) " + megabytes.map { "\(Int($0.rounded()))" }.joined(separator: ", ")
        }
        let cells = [
            verdict.fault, verdict.word == "BROKEN" ? "**broken**" : verdict.word, "\(verdict.kills)",
            "\(verdict.framesSent)",
            "\(verdict.framesLost)", "\(verdict.framesMissingTold)", "\(verdict.messagesRefused)",
            verdict.recoverySeconds.map(Self.decimal) ?? "", memory ?? "", "\(Int(verdict.seconds.rounded()))",
            verdict.detail.replacing("|", with: "/"),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// What each situation of the broker lost by itself.
    private var brokers: [String] {
        let rows = BrokerSituation.allCases.compactMap { situation -> String? in
            let found = verdicts.filter { $0.broker == situation }
            guard !found.isEmpty else { return nil }
            let sent = found.reduce(0) { $0 + $1.framesSent }
            let lost = found.reduce(0) { $0 + $1.framesLost }
            let told = found.reduce(0) { $0 + $1.framesMissingTold }
            return "| \(situation.rawValue) | \(found.reduce(0) { $0 + $1.kills }) | \(sent) | \(lost) | \(told) |"
        }
        guard !rows.isEmpty else { return [] }
        return [
            "## What the broker lost", "", "| broker | kills | frames sent | frames lost | told as missing |",
            "|---|---:|---:|---:|---:|",
        ] + rows
    }
}
