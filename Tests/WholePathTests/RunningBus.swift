import BusConfiguration
import Foundation
import Launch
import Logging
import MQTT
import Playback
import StrideClient
import ServiceLifecycle
import Wire

/// All services and a private broker in this process, for as long as a test takes.
struct RunningBus {
    let run: BusRun
    var endpoint: MQTTEndpoint { run.settings.endpoint }
    var root: String { run.settings.topics.root }

    /// Starts a bus below a root of its own, lets the services of `extra` run on it, and ends it when they have.
    static func with<Extra: Service>(
        flags: [String: String] = [:], _ extra: (RunningBus) throws -> Extra
    ) async throws -> Extra {
        let data = try DataDirectory.makeTemporary()
        defer { DataDirectory.remove(data) }
        let settings = ["data": data, "root": "test/\(UInt32.random(in: .min ... .max))", "log-level": "error"]
        let run = try await BusRun.prepare(
            ServiceName.allCases,
            sources: ConfigurationSources(flags: settings.merging(flags) { $1 }, environment: [:]),
            privateBroker: .onPort(0), makeLogger: quietLogger)
        let service = try extra(RunningBus(run: run))
        try await ServiceAssembly.group(of: run.services + [service], signals: [], logger: run.logger).run()
        return service
    }

    private static func quietLogger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }

    /// A plan that plays everything as fast as told.
    func plan<Source>(
        for: Source.Type, speed: Double, seconds: Double, form: MotionPublisher.Form = .json
    ) -> Demonstration<Source>.Plan {
        Demonstration<Source>.Plan(
            endpoint: endpoint, root: root, version: run.settings.version,
            pace: Pace(speed: speed, seconds: seconds, nowMicroseconds: FramePlayer<Source>.nowMicroseconds),
            wallSeconds: seconds / speed, form: form)
    }
}
