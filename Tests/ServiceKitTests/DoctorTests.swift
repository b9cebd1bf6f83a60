import Contract
import Foundation
import MQTT
import Synchronization
import TestBroker
import Testing
import Wire

import PrivateBroker
import ServiceKit
@testable import stridebus

@Suite("What the doctor finds", .timeLimit(.minutes(5)))
struct DoctorTests {
    private let folder = TemporaryFolder()

    /// The findings on a broker, by their subjects.
    private static func findings(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), version: MQTTVersion = .v5,
        device: String? = nil, user: String = "", watching: Bool = false,
        prepare: (EmbeddedBroker) async throws -> Void = { _ in }
    ) async throws -> [String: Finding] {
        let broker = try await EmbeddedBroker.start(configuration)
        try await prepare(broker)
        let watch =
            watching
            ? try await BusWatch.start(
                try MQTTEndpoint(broker.url), scope: .everything, ignoredReplies: "stridebus-doctor") : nil
        let findings = try await Self.findings(port: broker.port, version: version, device: device, user: user)
        await watch?.end()
        await broker.stop()
        return findings
    }

    /// The findings on whatever broker listens on a port.
    private static func findings(
        port: Int, version: MQTTVersion, device: String? = nil, user: String = ""
    ) async throws -> [String: Finding] {
        let address = "mqtt://\(user.isEmpty ? "" : user + "@")127.0.0.1:\(port)"
        var doctor = BusDoctor(
            bus: BusSettings(endpoint: try MQTTEndpoint(address), topics: try TopicTree(), version: version))
        doctor.device = try device.map { try DeviceID($0) }
        doctor.listenSeconds = 1
        let findings = Mutex<[String: Finding]>([:])
        _ = await doctor.run { finding in findings.withLock { $0[finding.subject] = finding } }
        return findings.withLock { $0 }
    }

    private static let limits = ["max_queued_messages", "max_packet_size"]

    @Test("The private broker has no limit that bites", arguments: [MQTTVersion.v5, .v311])
    func privateBroker(version: MQTTVersion) async throws {
        let findings = try await Self.findings(version: version, watching: true)
        for subject in ["broker", "retained messages", "stride/reply/…"] + Self.limits {
            #expect(findings[subject]?.grade == .good, "\(subject): \(String(describing: findings[subject]))")
        }
        #expect(findings["requests"]?.grade == .bad)
        #expect(findings["ingest"]?.grade == .bad)
        #expect(findings["devices"]?.grade == .warning)
    }

    @Test("Mosquitto's own limits are found, and what to write instead is said", arguments: [MQTTVersion.v5, .v311])
    func mosquittoDefaults(version: MQTTVersion) async throws {
        let findings = try await Self.findings(
            EmbeddedBrokerConfiguration(extraLines: [
                "max_queued_messages 1000", "max_inflight_messages 20", "max_packet_size 100000",
            ]),
            version: version)
        for subject in Self.limits { #expect(findings[subject]?.grade == .warning, "\(subject)") }
        #expect(findings["max_queued_messages"]?.remedy?.contains("max_queued_messages 1000000") == true)
    }

    @Test(
        "A permission that the broker grants and does not keep is found by what does not arrive",
        arguments: [MQTTVersion.v5, .v311])
    func accessList(version: MQTTVersion) async throws {
        let access = try folder.write("access", "topic read $SYS/#\nuser viewer\ntopic read stride/#\n")
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["acl_file \(access)"])
        let findings = try await Self.findings(configuration, version: version, user: "viewer")
        #expect(findings["broker"]?.grade == .good)
        let reply = try #require(findings["stride/reply/…"])
        #expect(reply.grade == .bad && reply.remedy?.contains("stride/reply/…") == true)
        #expect(findings["max_queued_messages"] == nil)
    }

    @Test("A device's own permissions are tried, and that it cannot publish as another")
    func devicePermissions() async throws {
        let text = "user bike-7\ntopic readwrite stride/reply/#\ntopic read stride/#\ntopic write stride/bike-7/+\n"
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["acl_file \(try folder.write("access", text))"])
        let own = try await Self.findings(configuration, device: "bike-7", user: "bike-7")
        #expect(own["stride/bike-7/imu"]?.grade == .good)
        #expect(own["stride/bike-7/status"]?.grade == .good)
        #expect(own["stride/doctor-of-bike-7/status"]?.grade == .good)
        #expect(own["stride/bike-7/rev"]?.grade == .good)
        let others = try await Self.findings(configuration, device: "bike-8", user: "bike-7")
        #expect(others["stride/bike-8/imu"]?.grade == .bad)
        let open = try await Self.findings(device: "bike-7", watching: true)
        #expect(open["stride/doctor-of-bike-7/status"]?.grade == .warning)
    }

    @Test("A broker that is not there, or refuses the password, is said at once")
    func unreachable() async throws {
        let findings = try await Self.findings(EmbeddedBrokerConfiguration(extraLines: ["allow_anonymous false"]))
        #expect(findings.count == 1)
        #expect(findings["broker"]?.grade == .bad)
        #expect(findings["broker"]?.observation.contains("does not allow the connection") == true)
    }

    @Test("Who sends is counted, and a topic that the bus does not have is named")
    func traffic() async throws {
        let findings = try await Self.findings { broker in
            let producer = MQTTProducer(
                configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(broker.url), clientID: "older"))
            // Retained, so that it does not matter when the doctor begins to listen.
            for topic in ["stride/bike-7/imu", "stride/bike-7/acceleration", "stride/request/live/begin"] {
                try await producer.publish([MQTTPublication(topic: Array(topic.utf8), payload: [1], retain: true)])
            }
            await producer.stop()
        }
        #expect(findings["devices"]?.observation.hasPrefix("1 sent something") == true)
        for topic in ["stride/bike-7/acceleration", "stride/request/live/begin"] {
            #expect(findings[topic]?.grade == .warning && findings[topic]?.remedy?.contains("docs/topics.md") == true)
        }
        #expect(findings["stride/bike-7/imu"] == nil)
    }
}
