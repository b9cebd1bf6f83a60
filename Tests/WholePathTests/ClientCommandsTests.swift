import Foundation
import MQTT
import Lab
import ServiceLifecycle
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
        #expect(texts[3].split(separator: "\n").count == 2)
        #expect(texts[3].contains("… \(dayCount) without data"))
    }

    @Test("Tables show times by the clock of the zone and only what there is, and a rider is checked in and out")
    func tables() async throws {
        let days = ["--bucket", "day", "--from", "2026-11-01", "--to", "2026-11-03", "--zone", "Asia/Kathmandu"]
        let ride = ["--device", "bike-7", "--from", "2026-11-20T18:02:00Z", "--to", "2026-11-20T18:47:00Z"]
        let session = try await session([
            ["query", "series", "--device", "watch-3"] + days, ["query", "today", "--device", "watch-3"],
            ["query", "people"], ["checkin", "Anna"] + ride, ["query", "people", "--zone", "Europe/Berlin"],
            ["checkout", "--device", "bike-7", "--at", "2026-11-20T18:30:00Z"],
            ["query", "person", "Ben"],
            ["query", "interval", "--device", "bike-7", "--from", "1795194010", "--to", "1795194100"],
        ])
        let lines = session.texts.map { $0.split(separator: "\n").map(String.init) }
        #expect(lines[0] == ["start (Asia/Kathmandu)  steps  active  covered", "2026-11-01", "2026-11-02"])
        #expect(lines[1][0].hasPrefix("watch-3") && lines[1][1].contains("·······"))
        #expect(lines[2].count == 1 && session.errors[2].contains("nothing to show"))
        #expect(lines[3] == ["Anna has bike-7 from 2026-11-20T18:02:00Z to 2026-11-20T18:47:00Z"])
        #expect(lines[4][1] == "Anna    bike-7  2026-11-20 19:02      2026-11-20 19:47")
        #expect(lines[5] == ["Anna has bike-7 from 2026-11-20T18:02:00Z to 2026-11-20T18:30:00Z"])
        #expect(lines[6].count == 8 && session.errors[6].contains("'Ben' had no device then"))
        #expect(lines[7].contains { $0.contains("only whole minutes are known") })
        #expect(session.errors[7].contains("nothing has come from 'bike-7' yet"))
    }

    @Test("An export of a device that nobody knows says so beside its heading")
    func exportOfNobody() async throws {
        let session = try await session([["export", "--device", "nobody"]])
        #expect(session.texts[0].split(separator: "\n").count == 1)
        #expect(session.errors[0].contains("nothing has come from 'nobody' yet"))
    }

    @Test("Watching one device tells its cadence, its pauses and that it goes on")
    func watchDevice() async throws {
        let watched = try await RunningBus.with { WatchedWalk(bus: $0) }
        let text = watched.text
        #expect(text.contains(" spm walking"))
        #expect(text.contains("walker-1 moving"))
        #expect(text.contains("walker-1 paused"), "\(watched.error)")
        #expect(text.split(separator: "\n").allSatisfy { $0.contains("walker-1") })
    }

    private func outputs(of queries: [[String]]) async throws -> [String] {
        try await session(queries.map { ["query"] + $0 }).texts
    }

    private func session(_ commands: [[String]]) async throws -> CommandSession {
        try await RunningBus.with { CommandSession(bus: $0, commands: commands) }
    }
}

/// Does one thing after the other.
private final class CommandSession: Service {
    private let bus: RunningBus
    private let commands: [[String]]
    private let answers = Mutex<[(text: String, error: String)]>([])

    init(bus: RunningBus, commands: [[String]]) {
        self.bus = bus
        self.commands = commands
    }

    var texts: [String] { answers.withLock { $0.map(\.text) } }
    var errors: [String] { answers.withLock { $0.map(\.error) } }

    func run() async throws {
        for command in commands {
            let program = try Program(command + ["--timeout", "60s"] + bus.arguments)
            #expect(try await program.exitCode(withinSeconds: 120) == 0, "\(program.errorText)")
            answers.withLock { $0.append((program.outputText, program.errorText)) }
        }
    }
}

/// Watches a walker who pauses now and then.
private final class WatchedWalk: Service {
    private let bus: RunningBus
    private let output = Mutex((text: "", error: ""))

    init(bus: RunningBus) {
        self.bus = bus
    }

    var text: String { output.withLock(\.text) }
    var error: String { output.withLock(\.error) }

    func run() async throws {
        let watch = ["watch", "--device", "walker-1", "--every", "1000", "--timeout", "60s"]
        let program = try Program(watch + bus.arguments)
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
        output.withLock { $0 = (program.outputText, program.errorText) }
    }
}

extension RunningBus {
    /// What tells a subcommand where the bus is.
    fileprivate var arguments: [String] { ["--broker", "mqtt://127.0.0.1:\(endpoint.port)", "--root", root] }
}
