import Contract
import ServiceKit
import Foundation
import stridebus
import Logging
import MQTT
import Lab
import StrideClient
import TestBroker
import ServiceLifecycle
import Synchronization
import Wire

/// All services and a private broker in this process, for as long as a test takes.
struct RunningBus {
    let run: BusRun
    var endpoint: MQTTEndpoint { run.settings.endpoint }
    var root: String { run.settings.topics.root }

    /// Starts a bus below a root of its own, lets the services of `extra` run on it, and ends it when they have.
    /// - Parameter checked: Whose messages must keep to their schemas.
    static func with<Extra: Service>(
        flags: [ConfigurationKey: String] = [:],
        checked: BusWatch.Scope = .everything, _ extra: (RunningBus) throws -> Extra
    ) async throws -> Extra {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let settings: [ConfigurationKey: String] = [
            .data: folder.path, .root: "test/\(UInt32.random(in: .min ... .max))", .logLevel: "error",
            .page: "off",
        ]
        let run = try await BusRun.prepare(
            ServiceName.allCases,
            sources: ConfigurationSources(flags: settings.merging(flags) { $1 }, environment: [:]),
            privateBrokerPort: 0, makeLogger: quietLogger)
        let service = try extra(RunningBus(run: run))
        // The broker is one of the services, so the watch connects when it is there and ends when it has gone.
        let watching = Task {
            try await BusWatch.start(
                run.settings.endpoint, roots: [run.settings.topics.root], scope: checked, awaitsHistory: true)
        }
        try await BusRun.group(of: run.services + [service], signals: [], logger: run.logger).run()
        await (try await watching.value).end(hasBroker: false)
        return service
    }

    private static func quietLogger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

/// Plays a source onto a bus, and asks history for every device's totals until they are as expected or patience ends.
final class PlayedBus<Source: FrameSource>: Service {
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

    private let bus: RunningBus
    private let source: Source
    private let (pace, seconds): (Pace, Double)
    private let form: MotionPublisher.Form
    private let tolerance: Double
    private let expected: @Sendable (Source, Int) -> (steps: Int, revolutions: Int)
    private let found = Mutex<[Row]>([])

    init(
        _ source: Source, on bus: RunningBus, pace: Pace, seconds: Double, form: MotionPublisher.Form = .json,
        tolerance: Double = 0, expected: @escaping @Sendable (Source, Int) -> (steps: Int, revolutions: Int)
    ) {
        (self.source, self.bus, self.pace, self.seconds) = (source, bus, pace, seconds)
        (self.form, self.tolerance, self.expected) = (form, tolerance, expected)
    }

    /// A row a device, once it has run.
    var rows: [Row] { found.withLock(\.self) }

    func run() async throws {
        try await waitForServices()
        let publisher = try MotionPublisher(endpoint: bus.endpoint, root: bus.root, version: bus.run.settings.version)
        var player = FramePlayer(source: source, pace: pace, publisher: publisher, form: form)
        try await player.publishConfigurations()
        try await player.play(untilDevice: pace.startMicroseconds + Int64((seconds * 1e6).rounded()))
        await publisher.close()
        let client = try StrideBus(endpoint: bus.endpoint, root: bus.root, version: bus.run.settings.version)
        try await ask(client, player.source)
        await client.close()
    }

    private func waitForServices() async throws {
        let observer = try BusObserver(endpoint: bus.endpoint, root: bus.root, version: bus.run.settings.version)
        let online = Mutex<Set<ServiceName>>([])
        try await observer.observe { event in
            guard case .service(let name, isOnline: true) = event else { return }
            let areAll = online.withLock { $0.insert(name).inserted && $0.isSuperset(of: ServiceName.allCases) }
            if areAll { await observer.close() }
        }
    }

    private func ask(_ client: StrideBus, _ source: Source) async throws {
        // History's minutes are whole: the interval is widened to them.
        let from = (Double(pace.startMicroseconds) / 60e6).rounded(.down) * 60
        let expected = source.devices.indices.map { self.expected(source, $0) }
        let deadline = ContinuousClock.now + .seconds(30)
        repeat {
            var rows: [Row] = []
            for (index, device) in source.devices.enumerated() {
                let to = (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60
                let answer = try await client.interval(
                    device: device.id, from: .instant(seconds: from), to: .instant(seconds: to))
                rows.append(
                    Row(device: device.id, answer: answer, expected: expected[index], tolerance: tolerance))
            }
            found.withLock { $0 = rows }
            if rows.allSatisfy(\.isAsExpected) { return }
            try await Task.sleep(for: .milliseconds(250))
        } while ContinuousClock.now < deadline
    }
}
