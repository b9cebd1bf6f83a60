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
        ]
        let run = try await BusRun.prepare(
            ServiceName.allCases,
            sources: ConfigurationSources(flags: settings.merging(flags) { $1 }, environment: [:]),
            privateBroker: .onPort(0),
            makeLogger: quietLogger)
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

    /// A demonstration that plays so many seconds of a source.
    func demonstration<Source>(
        of source: Source, pace: Pace, seconds: Double, form: MotionPublisher.Form = .json
    ) -> Demonstration<Source> {
        Demonstration(
            source: source, endpoint: endpoint, root: root, version: run.settings.version, pace: pace,
            wallSeconds: seconds / pace.speed, form: form)
    }
}
