import Foundation
import Wire

/// A second instance of a service, started by mistake beside the first.
struct SecondInstance: Sendable {
    let service: ServiceName
    /// Whether it is told to keep its files where the first one does.
    let sharesData: Bool

    /// How long it may take until it has given way, in seconds.
    private static let patienceSeconds = 60.0

    /// The share of the frames before its start. A history with data of its own comes when a minute of them has ended,
    /// whatever the time of day: the totals of the first one hold it, and the second has yet to be sent it again.
    var startShare: Double { service == .history && !sharesData ? 0.6 : 0.25 }

    /// Starts it, and says what it does.
    func run(beside system: SystemUnderTest) async throws -> FaultStrike.Result {
        let second = try await system.launchSecond(service, sharesData: sharesData)
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while second.isRunning, await system.isComplete, ContinuousClock.now < deadline {
            try await FaultStrike.wait(0.1)
        }
        let (secondRuns, firstRuns) = (second.isRunning, await system.isComplete)
        let line = second.logText.split(separator: "\n").last ?? "nothing"
        let words = line.replacing(system.directory.path, with: "…")
        second.send(SIGTERM)
        await second.ended(withinSeconds: Self.patienceSeconds)
        try await system.launchMissing()
        let text =
            "first \(firstRuns ? "stayed" : "ended"), second \(secondRuns ? "stayed" : "ended"): \(words.suffix(160))"
        return FaultStrike.Result(findings: [(text, isHeld: firstRuns != secondRuns)])
    }
}
