import Counter
import Foundation
import Lab
import MQTT
import StrideClient
import TestBroker
import Testing
import Watched
import Wire

@Suite("A bus that is backed up while six people walk, and restored elsewhere", .timeLimit(.minutes(5)))
struct RestoredBusTests {
    private let files = TemporaryFolder()
    private static let walkers = 6
    /// Standing, walking and standing: a minute.
    private static let script = WalkScript(stretches: [(false, 4), (true, 40), (false, 16)])
    private static let speed = 8.0

    @Test("What was copied is a total of the walk, and with everything sent again each is that of an uninterrupted run")
    func walk() async throws {
        let folder = files.path
        let pace = Pace(speed: Self.speed, seconds: 60)
        let end = pace.startMicroseconds + 60_000_000
        let gym = Self.script.gym(
            of: (1...Self.walkers).map { "walker-\($0)" }, startMicroseconds: pace.startMicroseconds,
            seed: 1)
        let expected = Self.script.steps(counting: gym)
        try #require(expected.values.allSatisfy { $0 > 50 })

        let bus = try await Bus(data: folder + "/data")
        let publisher = try MotionPublisher(endpoint: bus.endpoint)
        var player = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: publisher)
        try await player.publishConfigurations()
        for second in [15, 25, 35] {
            // The copying goes on while the walk does.
            async let backup = Self.run(["backup", folder + "/backups", "--keep", "2", "--data", folder + "/data"])
            try await player.play(untilDevice: pace.startMicroseconds + Int64(second) * 1_000_000)
            try await backup
        }
        try await player.play(untilDevice: end)
        try await bus.wait { $0 == expected }
        await publisher.close()
        try await bus.end()

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/backups").count == 3)
        try await Self.run(["restore", folder + "/backups", "--data", folder + "/elsewhere"])
        let restored = try await Bus(data: folder + "/elsewhere")
        // The retained totals of the copy: some of the walk, and none more than it has.
        try await restored.wait { $0.count == Self.walkers }
        #expect(restored.totals.allSatisfy { $0.value <= expected[$0.key] ?? 0 })
        #expect(restored.totals != expected)
        let again = try MotionPublisher(endpoint: restored.endpoint)
        var replay = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: again)
        try await replay.play(untilDevice: end)
        try await restored.wait { $0 == expected }
        await again.close()
        try await restored.end()
        #expect(restored.highest == expected)
    }

    private static func run(_ arguments: [String]) async throws {
        let program = try Program(arguments)
        let code = try await program.exitCode()
        #expect(code == 0, "\(arguments): \(program.errorText)")
    }
}

/// A running `stridebus up`, and the totals that it publishes.
private final class Bus: Sendable {
    struct Missed: Error {
        let totals: [DeviceID: UInt64]
    }

    let endpoint: MQTTEndpoint
    private let program: Program
    private let observer: BusObserver
    private let watching: Task<Void, any Error>
    private let steps: Watched<(now: [DeviceID: UInt64], highest: [DeviceID: UInt64])>

    init(data: String) async throws {
        program = try Program(["up", "--port", "0", "--page", "off", "--data", data])
        for word in ["counting", "reading from the broker"] {
            try await program.waitForError(containing: word)
        }
        let port = try #require(program.errorText.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:(\d+)/)?.output.1)
        endpoint = try MQTTEndpoint("mqtt://127.0.0.1:\(port)")
        let observer = try BusObserver(endpoint: endpoint)
        let steps = Watched<(now: [DeviceID: UInt64], highest: [DeviceID: UInt64])>(([:], [:]))
        (self.observer, self.steps) = (observer, steps)
        watching = Task {
            try await observer.observe { event in
                guard case .total(let device, let total) = event else { return }
                steps.change {
                    $0.now[device] = total.steps
                    $0.highest[device] = max($0.highest[device] ?? 0, total.steps)
                }
            }
        }
    }

    var totals: [DeviceID: UInt64] { steps.now.now }
    /// The highest total that each device ever had.
    var highest: [DeviceID: UInt64] { steps.now.highest }

    /// Waits until the totals are as they should be; at the suite's time limit it says what they are.
    func wait(until isDone: ([DeviceID: UInt64]) -> Bool) async throws {
        guard await steps.wait({ isDone($0.now) }) else { throw Missed(totals: totals) }
    }

    func end() async throws {
        await observer.close()
        watching.cancel()
        program.terminate()
        #expect(try await program.exitCode() == 0)
    }
}
