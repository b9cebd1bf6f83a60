import Foundation
import MQTT
import Playback
import ServiceLifecycle
import Simulator
import StrideClient
import Synchronization
import Testing
import Wire

@Suite("Subcommands that ask and listen", .timeLimit(.minutes(5)))
struct ClientCommandsTests {
    @Test("Answers of any size come whole: as CSV under one heading, and as one JSON object")
    func longAnswers() async throws {
        let minutes = [
            "series", "--device", "watch-3", "--from", "2026-11-01T00:00:00Z", "--to", "2026-11-08T00:00:00Z",
        ]
        let days = ["days", "--device", "watch-3", "--from", "2020-01-01", "--to", "2024-01-01"]
        let texts = try await outputs(of: [minutes + ["--csv"], minutes + ["--json"], days + ["--csv"], days])
        let csv = texts[0].split(separator: "\n")
        let minuteCount = 7 * 1440
        let dayCount = 4 * 365 + 1
        #expect(csv.count == minuteCount + 1)
        #expect(csv.count { $0.hasPrefix("start") } == 1)
        #expect(texts[1].split(separator: "\n").count == 1)
        #expect(texts[1].matches(of: /"start"/).count == minuteCount)
        #expect(!texts[1].contains("cursor"))
        let dates = texts[2].split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first }
        #expect(dates.count == dayCount)
        #expect(Set(dates).count == dayCount)
        #expect(texts[3].split(separator: "\n").count == dayCount + 1)
    }

    @Test("Watching one device tells its cadence, its pauses and that it goes on")
    func watchDevice() async throws {
        let watched = try await RunningBus.with { WatchedWalk(bus: $0) }
        let text = watched.text
        #expect(text.contains(" spm walking"))
        #expect(text.contains("walker-1 moving"))
        #expect(text.contains("walker-1 paused"))
        #expect(text.split(separator: "\n").allSatisfy { $0.contains("walker-1") })
    }

    private func outputs(of queries: [[String]]) async throws -> [String] {
        try await RunningBus.with { QuerySession(bus: $0, queries: queries) }.texts
    }
}

/// Asks one thing after the other.
private final class QuerySession: Service {
    private let bus: RunningBus
    private let queries: [[String]]
    private let answers = Mutex<[String]>([])

    init(bus: RunningBus, queries: [[String]]) {
        self.bus = bus
        self.queries = queries
    }

    var texts: [String] { answers.withLock { $0 } }

    func run() async throws {
        for query in queries {
            let program = try Program(["query"] + query + ["--timeout", "60s"] + bus.arguments)
            #expect(try await program.exitCode(withinSeconds: 120) == 0, "\(program.errorText)")
            answers.withLock { $0.append(program.outputText) }
        }
    }
}

/// Watches a walker who pauses now and then.
private final class WatchedWalk: Service {
    private let bus: RunningBus
    private let output = Mutex("")

    init(bus: RunningBus) {
        self.bus = bus
    }

    var text: String { output.withLock { $0 } }

    func run() async throws {
        let program = try Program(["watch", "--device", "walker-1", "--every", "1000"] + bus.arguments)
        let publisher = try MotionPublisher(endpoint: bus.endpoint, root: bus.root)
        let pace = Pace(speed: 10, seconds: 3_000, nowMicroseconds: FramePlayer<GymSource>.nowMicroseconds)
        let gym = SimulatedGym(bikes: 0, wearables: 1, seed: 3, startMicroseconds: pace.startMicroseconds)
        var player = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: publisher)
        try await player.publishConfigurations()
        // On and on, until it is told: nobody knows when the program has begun to listen.
        var end = pace.startMicroseconds
        for word in ["moving", "paused"] {
            while !program.outputText.contains(word), end < pace.startMicroseconds + 2_000_000_000 {
                end += 5_000_000
                try await player.play(untilDevice: end)
            }
        }
        await publisher.close()
        program.send(SIGKILL)
        _ = try await program.exitCode(withinSeconds: 30)
        output.withLock { $0 = program.outputText }
    }
}

extension RunningBus {
    /// What tells a subcommand where the bus is.
    fileprivate var arguments: [String] { ["--broker", "mqtt://127.0.0.1:\(endpoint.port)", "--root", root] }
}
