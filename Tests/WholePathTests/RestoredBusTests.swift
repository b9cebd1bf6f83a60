import Counter
import Foundation
import Lab
import MQTT
import StrideClient
import TestBroker
import Testing
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

        let bus = try await UpProgram(data: folder + "/data")
        let totals = try await bus.listener("+/total")
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
        try await totals.wait { Self.steps($0) == expected }
        await publisher.close()
        try await bus.end()

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/backups").count == 3)
        try await Self.run(["restore", folder + "/backups", "--data", folder + "/elsewhere"])
        let restored = try await UpProgram(data: folder + "/elsewhere")
        let restoredTotals = try await restored.listener("+/total")
        // The retained totals of the copy: some of the walk, and none more than it has.
        let copied = Self.steps(try await restoredTotals.wait(untilHeard: Self.walkers))
        #expect(copied.allSatisfy { $0.value <= expected[$0.key] ?? 0 })
        #expect(copied != expected)
        let again = try MotionPublisher(endpoint: restored.endpoint)
        var replay = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: again)
        try await replay.play(untilDevice: end)
        try await restoredTotals.wait { Self.steps($0) == expected }
        await again.close()
        try await restored.end()
        #expect(Self.steps(restoredTotals.heard) { max($0, $1) } == expected)
    }

    /// The steps of each device as they were told last, or as told.
    private static func steps(
        _ heard: [BusListener.Heard], of told: (UInt64, UInt64) -> UInt64 = { $1 }
    ) -> [DeviceID: UInt64] {
        let totals = heard.compactMap { message -> (DeviceID, UInt64)? in
            guard let device = try? DeviceID(String(message.topic.split(separator: "/")[1])),
                let total = try? DeviceTotals(json: message.payload)
            else { return nil }
            return (device, total.steps)
        }
        return Dictionary(totals, uniquingKeysWith: told)
    }

    private static func run(_ arguments: [String]) async throws {
        let program = try Program(arguments)
        let code = try await program.exitCode()
        #expect(code == 0, "\(arguments): \(program.errorText)")
    }
}
