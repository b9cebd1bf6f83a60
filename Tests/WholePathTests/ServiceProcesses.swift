import Contract
import TestBroker
import PrivateBroker
import ServiceKit
import Foundation
import MQTT
import Synchronization
import Wire

/// A broker and the three services as processes of their own, so that one of them can be ended without a word.
final class ServiceProcesses: TestedBus, Sendable {
    let broker: EmbeddedBroker
    let root: String
    private let folder = TemporaryFolder()
    private var data: String { folder.path }
    private let watch: BusWatch
    private let running = Mutex<[ServiceName: Program]>([:])

    init(_ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration()) async throws {
        broker = try await EmbeddedBroker.start(configuration)
        root = "test/\(UInt32.random(in: .min ... .max))"
        watch = try await BusWatch.start(try MQTTEndpoint(broker.url), roots: [root], awaitsHistory: true)
    }

    var endpoint: MQTTEndpoint { MQTTEndpoint(host: "127.0.0.1", port: broker.port) }

    /// Starts all services, and returns when all have said that they are there.
    func startAll() async throws {
        let listener = try await listener("service/+/status")
        for name in ServiceName.allCases { try start(name) }
        try await listener.waitForServices()
    }

    /// Starts a service, with further options.
    func start(_ name: ServiceName, _ options: [String] = []) throws {
        let program = try Program(
            [name.rawValue, "--data", data, "--log-level", "error"] + arguments + options)
        running.withLock { $0[name] = program }
    }

    /// Ends a service with a signal and returns when it is gone.
    func end(_ name: ServiceName, by signal: Int32) async throws {
        guard let program = running.withLock({ $0.removeValue(forKey: name) }) else { return }
        program.send(signal)
        _ = try await program.exitCode()
    }

    /// Takes a service's file away, as a disk that is gone does; the service must have ended.
    func removeFile(_ name: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: "\(data)/\(name)\(suffix)") }
    }

    /// Ends everything.
    func endAll() async throws {
        for name in ServiceName.allCases { try await end(name, by: SIGTERM) }
        await watch.end()
        await broker.stop()
    }
}
