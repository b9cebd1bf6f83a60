import Contract
import Foundation
import Lab
import Logging
import MQTT
import ServiceKit
import StrideClient
import TestBroker
import Testing
import Wire
import stridebus

/// A bus that a test has made, and what asks and listens there.
protocol TestedBus {
    var endpoint: MQTTEndpoint { get }
    var root: String { get }
}

extension TestedBus {
    /// What tells a subcommand where the bus is.
    var arguments: [String] { ["--broker", "mqtt://127.0.0.1:\(endpoint.port)", "--root", root] }

    /// Hears what comes on some topics below the root from now on.
    func listener(_ filters: String...) async throws -> BusListener {
        try await BusListener(
            MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-in"),
            filters: filters.map { "\(root)/\($0)" })
    }

    func producer() -> MQTTProducer {
        MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-out"))
    }
}

extension BusListener {
    /// Waits until all three services say that they are there; it has to hear `service/+/status`.
    func waitForServices() async throws {
        try await wait { heard in
            let online = heard.filter { $0.topic.hasSuffix("/status") && $0.text == "online" }
            return Set(online.map(\.topic)).count == ServiceName.allCases.count
        }
    }
}

/// All services and a private broker in this process, for as long as a test takes.
struct RunningBus: TestedBus {
    let topics: TopicTree
    let endpoint: MQTTEndpoint
    var root: String { topics.root }

    /// Starts a bus below a root of its own, and ends it after `body`.
    /// - Parameter checked: Whose messages must keep to their schemas.
    static func with<Result>(
        checked: BusWatch.Scope = .everything, _ body: (RunningBus) async throws -> Result
    ) async throws -> Result {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let flags: [ConfigurationKey: String] = [
            .data: folder.path, .root: "test/\(UInt32.random(in: .min ... .max))", .logLevel: "error",
            .page: "off",
        ]
        let run = try await BusRun.prepare(
            ServiceName.allCases, sources: ConfigurationSources(flags: flags, environment: [:]),
            privateBrokerPort: 0
        ) { level in
            var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = level
            return logger
        }
        let running = RunningGroup(BusRun.group(of: run.services, signals: [], logger: run.logger))
        let bus = RunningBus(topics: run.settings.topics, endpoint: run.settings.endpoint)
        do {
            let watch = try await BusWatch.start(bus.endpoint, roots: [bus.root], scope: checked, awaitsHistory: true)
            let result = try await body(bus)
            await watch.end()
            try await running.stop()
            return result
        } catch {
            await running.kill()
            throw error
        }
    }

    /// What a device's totals are, and what they are to be, within a share.
    struct Row: Sendable {
        let device: DeviceID
        let answer: IntervalData
        let expected: (steps: Int, revolutions: Int)
        let tolerance: Double

        var isAsExpected: Bool {
            isNear(answer.steps, expected.steps) && isNear(answer.revolutions, expected.revolutions)
        }

        private func isNear(_ counted: UInt64, _ expected: Int) -> Bool {
            abs(Double(counted) - Double(expected)) <= tolerance * Double(expected)
        }
    }

    /// Plays a source, and asks history for every device's totals until they are as expected or patience ends.
    func play<Source: FrameSource>(
        _ source: Source, pace: Pace, seconds: Double, form: MotionPublisher.Form = .json, tolerance: Double = 0,
        expected: (Source, Int) -> (steps: Int, revolutions: Int)
    ) async throws -> [Row] {
        try await listener("service/+/status").waitForServices()
        let publisher = try MotionPublisher(endpoint: endpoint, root: root)
        var player = FramePlayer(source: source, pace: pace, publisher: publisher, form: form)
        try await player.publishConfigurations()
        try await player.play(untilDevice: pace.startMicroseconds + Int64((seconds * 1e6).rounded()))
        await publisher.close()
        let client = try StrideBus(endpoint: endpoint, root: root)
        // History's minutes are whole: the interval is widened to them.
        let from = (Double(pace.startMicroseconds) / 60e6).rounded(.down) * 60
        var rows: [Row] = []
        let deadline = ContinuousClock.now + .seconds(30)
        repeat {
            rows = []
            for (index, device) in player.source.devices.enumerated() {
                let to = (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60
                let answer = try await client.interval(
                    device: device.id, from: .instant(seconds: from), to: .instant(seconds: to))
                let expected = expected(player.source, index)
                rows.append(Row(device: device.id, answer: answer, expected: expected, tolerance: tolerance))
            }
            if rows.allSatisfy(\.isAsExpected) { break }
            try await Task.sleep(for: .milliseconds(250))
        } while ContinuousClock.now < deadline
        await client.close()
        return rows
    }
}

/// `stridebus up` on a free port, as a process of its own.
struct UpProgram: TestedBus {
    let program: Program
    let endpoint: MQTTEndpoint
    let root = "stride"

    init(data: String, _ options: [String] = ["--page", "off"]) async throws {
        program = try Program(["up", "--port", "0", "--data", data] + options)
        for word in ["counting", "reading from the broker"] { try await program.waitForError(containing: word) }
        let port = try #require(program.errorText.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:(\d+)/)?.output.1)
        endpoint = try MQTTEndpoint("mqtt://127.0.0.1:\(port)")
    }

    /// Ends it with a signal, after which it says that all went well.
    func end(by signal: Int32 = SIGTERM) async throws {
        program.send(signal)
        #expect(try await program.exitCode() == 0, "\(program.errorText)")
    }
}
