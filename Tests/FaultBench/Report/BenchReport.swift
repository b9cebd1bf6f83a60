import Foundation

/// All verdicts of a run.
struct BenchReport: Codable, Sendable {
    var seed: UInt64
    var mode: String
    var verdicts: [Verdict] = []

    var holds: Bool { verdicts.allSatisfy(\.holds) }
    private var kills: Int { verdicts.reduce(0) { $0 + $1.kills } }
    private var sent: Int { verdicts.reduce(0) { $0 + $1.framesSent } }
    private var lost: Int { verdicts.reduce(0) { $0 + $1.framesLost } }

    /// One line that says it all.
    var summary: String {
        let passed = verdicts.filter(\.holds).count
        return """
            \(passed) of \(verdicts.count) faults leave every total as it was: \(kills) kills, \(sent) frames sent, \
            \(lost) lost on the way and told
            """
    }

    /// Writes `PATH.md` and `PATH.json`.
    func write(to path: String) throws {
        try markdown.write(toFile: path + ".md", atomically: true, encoding: .utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path + ".json"))
    }

    private var markdown: String {
        var lines = [
            "# Faults", "", summary + ".", "", "Seed \(seed), \(mode) mode.", "",
            "| fault | verdict | kills | frames sent | lost | told as missing | seconds | detail |",
            "|---|---|---:|---:|---:|---:|---:|---|",
        ]
        for verdict in verdicts {
            lines.append(
                """
                | \(verdict.fault) | \(verdict.holds ? "holds" : "**broken**") | \(verdict.kills) | \
                \(verdict.framesSent) | \(verdict.framesLost) | \(verdict.framesMissingTold) | \
                \(Int(verdict.seconds.rounded())) | \(verdict.detail) |
                """)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
