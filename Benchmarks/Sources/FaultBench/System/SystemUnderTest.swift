import PrivateBroker
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
    /// The network in between, where one is to be spoiled.
    nonisolated let proxy: NetworkProxy?
    /// Where the broker itself is.
    nonisolated let brokerEndpoint: MQTTEndpoint
    /// Where services and devices find it.
    nonisolated let endpoint: MQTTEndpoint
    nonisolated let topics: TopicTree
    nonisolated let directory: URL
    private let executable: URL
    private let smallDisk: ServiceName?
    private var services: [ServiceName: ServiceProcess] = [:]
    private var badDisk: ServiceProcess?
    /// Processes that were killed.
    private(set) var kills = 0

    /// How long the services may take to come up, in seconds.
    private static let startSeconds = 120.0
    /// How long a service may take to end when it is told to, in seconds.
    private static let stopSeconds = 60.0

    init(executable: URL, for fault: Fault) async throws {
        self.executable = executable
        smallDisk = fault.smallDisk
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("system-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        broker = try await EmbeddedBroker.start(
            EmbeddedBrokerConfiguration(
                persistenceDirectory: fault.keepsMessages ? directory.appendingPathComponent("broker").path : nil,
                extraLines: ["autosave_interval 1"]))
        proxy = fault.needsProxy ? try NetworkProxy(to: broker.port) : nil
        brokerEndpoint = try MQTTEndpoint(broker.url)
        endpoint = MQTTEndpoint(host: "127.0.0.1", port: proxy?.port ?? broker.port)
        topics = try TopicTree()
    }

    /// Starts all services and returns when each reads the bus.
    func start(_ watch: BusWatch) async throws {
        for name in ServiceName.allCases { try launch(name) }
        let deadline = ContinuousClock.now + .seconds(Self.startSeconds)
        while ContinuousClock.now < deadline {
            if watch.online.isSuperset(of: ServiceName.allCases) { return }
            try await ContinuousClock().sleep(for: .milliseconds(50))
        }
        let logs = services.values.map(\.logText).joined(separator: "\n")
        let missing = ServiceName.allCases.filter { !watch.online.contains($0) }.map(\.rawValue)
        throw NotReady(description: "not online after \(Int(Self.startSeconds)) s: \(missing): \(logs.suffix(800))")
    }

    /// Starts one service.
    func launch(_ name: ServiceName) throws {
        services[name] = try process(name, data: name.rawValue, log: name.rawValue)
    }

    /// Starts a second instance of a service, which the system does not look after.
    func launchSecond(_ name: ServiceName, sharesData: Bool) throws -> ServiceProcess {
        try process(name, data: sharesData ? name.rawValue : "second", log: "second")
    }

    /// Starts a service whose files cannot be written, and which the system does not look after.
    func launchOnReadOnlyDisk(_ name: ServiceName) throws -> ServiceProcess {
        try process(name, data: "read-only", log: "read-only") { directory, executable, arguments in
            ReadOnlyStart.command(directory: directory, running: executable, arguments)
        }
    }

    private func process(
        _ name: ServiceName, data: String, log: String,
        wrapped: ((String, URL, [String]) -> (executable: URL, arguments: [String]))? = nil
    ) throws -> ServiceProcess {
        let data = directory.appendingPathComponent(data)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        var command = (
            executable: executable,
            arguments: [
                name.rawValue, "--broker", endpoint.description, "--data", data.path, "--log-level", "info",
            ]
        )
        if let wrapped {
            command = wrapped(data.path, command.executable, command.arguments)
        } else if name == smallDisk {
            command = SmallDisk(directory: data.path).command(running: command.executable, command.arguments)
        }
        return try ServiceProcess(
            executable: command.executable, arguments: command.arguments,
            log: directory.appendingPathComponent("\(log).log"))
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

    /// Tells a service to stop, and waits for it.
    func end(_ name: ServiceName) async {
        terminate(name)
        await services[name]?.ended(withinSeconds: Self.stopSeconds)
    }

    /// Starts what does not run, and answers what that was.
    @discardableResult
    func launchMissing() throws -> [ServiceName] {
        let missing = ServiceName.allCases.filter { services[$0]?.isRunning != true }
        for name in missing { try launch(name) }
        return missing
    }

    /// Whether all services run.
    var isComplete: Bool { ServiceName.allCases.allSatisfy { services[$0]?.isRunning == true } }

    /// The resident memory of each service that runs, in megabytes.
    var residentMegabytes: [ServiceName: Double] {
        services.compactMapValues { $0.isRunning ? ProcessStatus(of: $0.identifier)?.residentMegabytes : nil }
    }

    /// What the kernel says about each service that runs.
    var statuses: [ServiceName: ProcessStatus] {
        services.compactMapValues { $0.isRunning ? ProcessStatus(of: $0.identifier) : nil }
    }

    /// Ends everything and removes the files.
    func stop() async {
        broker.resume()
        proxy?.set(.clear)
        try? await setDisk(of: .counter, bad: nil)
        for service in services.values { service.send(SIGTERM) }
        for service in services.values { await service.ended(withinSeconds: Self.stopSeconds) }
        proxy?.end()
        await broker.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}

// MARK: - Disks

extension SystemUnderTest {
    /// Makes the disk of a service bad, or good again.
    func setDisk(of name: ServiceName, bad fault: DiskFault?) async throws {
        if let tracing = badDisk {
            await SystemCallFault.end(tracing)
            badDisk = nil
        }
        guard let service = services[name], service.isRunning else { return }
        if let calls = fault?.systemCalls {
            badDisk = try calls.begin(on: service.identifier, log: directory.appendingPathComponent("disk.log"))
        }
        guard name == smallDisk else { return }
        let disk = SmallDisk(directory: directory.appendingPathComponent(name.rawValue).path)
        if fault == .full { try disk.fill(of: service.identifier) } else { try disk.empty(of: service.identifier) }
    }
}
