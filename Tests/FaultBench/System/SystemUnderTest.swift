import EmbeddedBroker
import Foundation
import MQTT
import Wire

/// A private broker and the three services as processes, on a data directory of their own.
actor SystemUnderTest {
    /// What the bench is told when the system does not come up.
    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    nonisolated let broker: EmbeddedBroker
    nonisolated let endpoint: MQTTEndpoint
    nonisolated let topics: TopicTree
    private let executable: URL
    private let directory: URL
    private let smallDisk: ServiceName?
    private var services: [ServiceName: ServiceProcess] = [:]
    /// Processes that were killed.
    private(set) var kills = 0

    /// How long the services may take to come up, in seconds.
    private static let startSeconds = 30.0
    /// How long a service may take to end when it is told to, in seconds.
    private static let stopSeconds = 20.0

    init(executable: URL, keepsMessages: Bool, smallDisk: ServiceName?) async throws {
        self.executable = executable
        self.smallDisk = smallDisk
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stridebus-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        broker = try await EmbeddedBroker.start(
            EmbeddedBrokerConfiguration(
                persistenceDirectory: keepsMessages ? directory.appendingPathComponent("broker").path : nil,
                autosaveSeconds: 1))
        endpoint = try MQTTEndpoint(broker.url)
        topics = try TopicTree()
    }

    /// Starts all services and returns when each reads the bus.
    func start(_ watch: BusWatch) async throws {
        for name in ServiceName.allCases { try launch(name) }
        let deadline = ContinuousClock.now + .seconds(Self.startSeconds)
        while ContinuousClock.now < deadline {
            let reads = services[.counter]?.logText.contains("connected to the broker") == true
            if reads, watch.online.isSuperset(of: ServiceName.allCases) { return }
            try await ContinuousClock().sleep(for: .milliseconds(50))
        }
        let logs = services.values.map(\.logText).joined(separator: "\n")
        let missing = ServiceName.allCases.filter { !watch.online.contains($0) }.map(\.rawValue)
        throw NotReady(description: "not online after \(Int(Self.startSeconds)) s: \(missing): \(logs.suffix(800))")
    }

    /// Starts one service.
    func launch(_ name: ServiceName) throws {
        let data = directory.appendingPathComponent(name.rawValue)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        var command = (
            executable: executable,
            arguments: [name.rawValue, "--broker", broker.url, "--data", data.path, "--log-level", "info"]
        )
        if name == smallDisk {
            command = SmallDisk(directory: data.path).command(running: command.executable, command.arguments)
        }
        services[name] = try ServiceProcess(
            executable: command.executable, arguments: command.arguments,
            log: directory.appendingPathComponent("\(name.rawValue).log"))
    }

    /// Fills the disk of the service that has a small one, or empties it.
    func setDiskFull(_ isFull: Bool) throws {
        guard let name = smallDisk, let service = services[name] else { return }
        let disk = SmallDisk(directory: directory.appendingPathComponent(name.rawValue).path)
        if isFull { try disk.fill(of: service.identifier) } else { try disk.empty(of: service.identifier) }
    }

    /// Kills one service and returns when it is gone.
    func kill(_ name: ServiceName) async {
        guard let service = services[name], service.isRunning else { return }
        kills += 1
        service.send(SIGKILL)
        await service.ended(withinSeconds: Self.stopSeconds)
    }

    /// Kills all services in the same moment.
    func killAll() async {
        for service in services.values where service.isRunning {
            kills += 1
            service.send(SIGKILL)
        }
        for service in services.values { await service.ended(withinSeconds: Self.stopSeconds) }
    }

    /// Kills the broker and returns when it is gone.
    func killBroker() async {
        kills += 1
        broker.kill()
        await broker.ended()
    }

    /// Tells a service to stop, without waiting for it.
    func terminate(_ name: ServiceName) { services[name]?.send(SIGTERM) }

    /// Starts what does not run.
    func launchMissing() throws {
        for name in ServiceName.allCases where services[name]?.isRunning != true { try launch(name) }
    }

    /// Whether all services run.
    var isComplete: Bool { ServiceName.allCases.allSatisfy { services[$0]?.isRunning == true } }

    /// Ends everything and removes the files.
    func stop() async {
        broker.resume()
        for service in services.values { service.send(SIGTERM) }
        for service in services.values { await service.ended(withinSeconds: Self.stopSeconds) }
        await broker.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
