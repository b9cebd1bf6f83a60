import Seeded
import Wire

/// How processes are killed while frames come.
enum KillPlan: String, CaseIterable, Sendable {
    case anyInstant
    case allAtOnce
    case duringStart
    case duringShutdown
    case twiceInASecond

    /// What a person calls it.
    var name: String {
        switch self {
        case .anyInstant: "kill -9 of one service at any instant"
        case .allAtOnce: "kill -9 of all three at once"
        case .duringStart: "kill -9 during start-up"
        case .duringShutdown: "kill -9 during shutdown"
        case .twiceInASecond: "kill -9 twice within a second"
        }
    }

    /// Kills and starts again until a number of kills is reached, within a time on the wall.
    func run(
        on system: SystemUnderTest, _ watch: BusWatch, kills: Int, wallSeconds: Double, seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed, stream: 0x6b11)
        let begin = ContinuousClock.now
        while await system.kills < kills {
            let done = await system.kills
            let due = begin + .seconds(wallSeconds * Double(done) / Double(kills))
            try await Self.sleep(until: due + .seconds(Double.random(in: 0...0.3, using: &random)))
            let service = ServiceName.allCases[Int.random(in: 0..<3, using: &random)]
            try await strike(service, system, pauseSeconds: Double.random(in: 0...0.25, using: &random))
            try await watch.expectRecovery(of: system.launchMissing())
        }
    }

    private func strike(_ service: ServiceName, _ system: SystemUnderTest, pauseSeconds: Double) async throws {
        switch self {
        case .anyInstant: await system.kill(service)
        case .allAtOnce: await system.killAll()
        case .duringStart:
            await system.kill(service)
            try await system.launch(service)
            try await Self.sleep(until: .now + .seconds(pauseSeconds))
            await system.kill(service)
        case .duringShutdown:
            await system.terminate(service)
            try await Self.sleep(until: .now + .seconds(pauseSeconds / 4))
            await system.kill(service)
        case .twiceInASecond:
            await system.kill(service)
            try await system.launch(service)
            try await Self.sleep(until: .now + .seconds(0.4 + pauseSeconds))
            await system.kill(service)
        }
    }

    static func sleep(until instant: ContinuousClock.Instant) async throws {
        try await ContinuousClock().sleep(until: instant)
    }
}
