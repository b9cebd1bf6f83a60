import Contract
import Ingest
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import TestBroker
import Wire

/// A broker, a device that publishes, and ingest.
struct IngestBench {
    let bus: TestBroker
    let topics: TopicTree
    private let device: MQTTProducer

    /// Runs a test with a broker of its own.
    ///
    /// - Parameter endsBroker: Whether the broker refuses everybody or is gone at the end.
    static func run(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), endsBroker: Bool = false,
        _ body: (IngestBench) async throws -> Void
    ) async throws {
        try await TestBroker.with(configuration, checked: endsBroker ? nil : .sent, roots: ["test"]) { bus in
            let topics = try TopicTree(root: "test")
            try await body(IngestBench(bus: bus, topics: topics, device: bus.producer("device")))
        }
    }

    /// An ingest in a service group, which a test can shut down.
    func start(version: MQTTVersion = .v5) -> RunningGroup {
        var configuration = IngestConfiguration(
            bus: BusSettings(endpoint: bus.endpoint, topics: topics, version: version))
        configuration.healthSeconds = 0.5
        var logger = Logger(label: "ingest")
        logger.logLevel = .critical
        let service = IngestService(configuration: configuration, logger: logger)
        return RunningGroup(ServiceGroup(services: [service], logger: logger))
    }

    /// The same, when it has its subscriptions: then nothing that a device sends is missed.
    func reading(version: MQTTVersion = .v5) async throws -> RunningGroup {
        let ingest = start(version: version)
        try await listener("status").wait(for: "test/service/ingest/status") { $0.text == "online" }
        return ingest
    }

    /// What ingest says of itself.
    func listener(_ name: String) async throws -> BusListener { try await bus.listener("test/service/ingest/\(name)") }

    /// What ingest gives to the counter.
    func motion() async throws -> BusListener { try await bus.listener("test/service/motion/+") }

    /// Sends a frame of each of some devices.
    func send(_ frame: Frame, of devices: [String] = ["a"]) async throws {
        try await device.publish(devices.map { MQTTPublication(topic: "test/\($0)/imu", payload: frame.encodedJSON()) })
    }

    func send(_ payload: [UInt8], of device: String) async throws {
        try await self.device.publish(MQTTPublication(topic: "test/\(device)/imu", payload: payload))
    }
}

extension BusListener {
    /// All records heard, once they are as wanted.
    @discardableResult
    func records(until isWanted: ([MotionRecord]) -> Bool) async throws -> [MotionRecord] {
        var records: [MotionRecord] = []
        try await wait { heard in
            records = heard.flatMap { (try? motionRecords($0.payload)) ?? [] }
            return isWanted(records)
        }
        return records
    }

    /// All frames heard, once they are so many.
    func frames(_ count: Int) async throws -> [MotionRecord] {
        try await records { $0.count { $0.frame != nil } >= count }.filter { $0.frame != nil }
    }

    /// The first report of health that is as wanted.
    @discardableResult
    func health(_ isWanted: (ServiceHealth) -> Bool) async throws -> ServiceHealth {
        let report = try await wait(for: "test/service/ingest/health") {
            (try? ServiceHealth(json: $0.payload)).map(isWanted) ?? false
        }
        return try ServiceHealth(json: report.payload)
    }
}
