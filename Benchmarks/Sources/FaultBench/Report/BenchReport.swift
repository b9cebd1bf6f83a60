import Foundation

/// All verdicts of a run, and what they come to.
struct BenchReport: Codable, Sendable {
    var seed: UInt64
    var mode: String
    /// Faults that this machine does not allow to be tried, and why.
    var skipped: [String] = []
    var verdicts: [Verdict] = []
    var seconds = 0.0
    private(set) var totals = Totals()

    /// The run in numbers.
    struct Totals: Codable, Sendable {
        var faultsTried = 0
        var faultsBroken = 0
        var kills = 0
        var framesSent = 0
        var framesLost = 0
        var framesMissingTold = 0
        var messagesRefused = 0
        var worstRecoverySeconds = 0.0
        var peakMegabytes = 0.0
    }

    var holds: Bool { totals.faultsTried > 0 && totals.faultsBroken == 0 }

    mutating func add(_ verdict: Verdict) {
        verdicts.append(verdict)
        totals.faultsTried += 1
        totals.faultsBroken += verdict.holds ? 0 : 1
        totals.kills += verdict.kills
        totals.framesSent += verdict.framesSent
        totals.framesLost += verdict.framesLost
        totals.framesMissingTold += verdict.framesMissingTold
        totals.messagesRefused += verdict.messagesRefused
        totals.worstRecoverySeconds = max(totals.worstRecoverySeconds, verdict.recoverySeconds ?? 0)
        totals.peakMegabytes = max(totals.peakMegabytes, verdict.memory?.peakMegabytes ?? 0)
    }

    /// One line that says it all.
    var summary: String {
        """
        \(totals.faultsTried - totals.faultsBroken) of \(totals.faultsTried) faults leave every total as it was: \
        \(totals.kills) kills, \(totals.framesSent) frames sent, \(totals.framesLost) lost on the way and \
        \(totals.framesMissingTold) told as missing, back after \(Self.decimal(totals.worstRecoverySeconds)) s at \
        most, \(Int(totals.peakMegabytes.rounded())) MB at most
        """
    }

    /// Writes `PATH.md` and `PATH.json`.
    func write(to path: String) throws {
        try markdown.write(toFile: path + ".md", atomically: true, encoding: .utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path + ".json"))
    }

    static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }
}
