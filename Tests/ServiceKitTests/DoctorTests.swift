import Contract
import Foundation
import MQTT
import Synchronization
import Testing
import Wire

import PrivateBroker
import ServiceKit
@testable import stridebus

@Suite("What the doctor finds", .timeLimit(.minutes(5)))
struct DoctorTests {
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

    private static let limits = ["max_queued_messages", "max_inflight_messages", "max_packet_size"]

    @Test("The private broker has no limit that bites", arguments: [MQTTVersion.v5, .v311])
    func privateBroker(version: MQTTVersion) async throws {
        let findings = try await Self.findings(version: version, watching: true)
        for subject in ["broker", "retained messages", "durability", "$share", "stride/reply/…"] + Self.limits {
            #expect(findings[subject]?.grade == .good, "\(subject): \(String(describing: findings[subject]))")
        }
        #expect(findings["broker"]?.observation.contains("mosquitto version 2") == true)
        #expect(findings["requests"]?.grade == .bad)
        #expect(findings["ingest"]?.grade == .bad)
        #expect(findings["devices"]?.grade == .warning)
    }

    @Test("Mosquitto's own limits are found, and what to write instead is said", arguments: [MQTTVersion.v5, .v311])
    func mosquittoDefaults(version: MQTTVersion) async throws {
        let findings = try await Self.findings(
            EmbeddedBrokerConfiguration(
                maximumQueuedMessages: 1_000, maximumInFlightMessages: 20, maximumPacketBytes: 100_000),
            version: version)
        // Over MQTT 5 the reader says how many it takes.
        for subject in Self.limits where version == .v311 || subject != "max_inflight_messages" {
            #expect(findings[subject]?.grade == .warning, "\(subject)")
        }
        #expect(findings["max_packet_size"]?.observation.contains("only 65536 bytes") == true)
        #expect(findings["max_queued_messages"]?.remedy?.contains("max_queued_messages 1000000") == true)
    }

    @Test(
        "A permission that the broker grants and does not keep is found by what does not arrive",
        arguments: [MQTTVersion.v5, .v311])
    func accessList(version: MQTTVersion) async throws {
        let directory = try DataDirectory.makeTemporary()
        defer { DataDirectory.remove(directory) }
        try "topic read $SYS/#\nuser viewer\ntopic read stride/#\n".write(
            toFile: directory + "/access", atomically: true, encoding: .utf8)
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["acl_file \(directory)/access"])
        let findings = try await Self.findings(configuration, version: version, user: "viewer")
        #expect(findings["broker"]?.grade == .good)
        let reply = try #require(findings["stride/reply/…"])
        #expect(reply.grade == .bad && reply.remedy?.contains("stride/reply/…") == true)
        #expect(findings["max_queued_messages"] == nil)
    }

    @Test("A device's own permissions are tried, and that it cannot publish as another")
    func devicePermissions() async throws {
        let directory = try DataDirectory.makeTemporary()
        defer { DataDirectory.remove(directory) }
        let text = "user bike-7\ntopic readwrite stride/reply/#\ntopic read stride/#\ntopic write stride/bike-7/+\n"
        try text.write(toFile: directory + "/access", atomically: true, encoding: .utf8)
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["acl_file \(directory)/access"])
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

    @Test("Of each device it is said what its frames lack")
    func devices() throws {
        let topics = try TopicTree()
        var survey = DeviceSurvey(topics: topics)
        let now: Int64 = 1_795_194_000_000_000
        func send(_ device: String, _ json: String, on channel: String = "imu") {
            let topic = Array("stride/\(device)/\(channel)".utf8)
            let payload = Array(json.utf8)
            topic.withUnsafeBytes { topic in
                payload.withUnsafeBytes { survey.take(topic: topic, payload: $0, nowMicroseconds: now) }
            }
        }
        func frame(_ sequence: Int, rateHz: Int = 50, t: Int = 1_795_194_000) -> String {
            #"{"boot":"k","seq":\#(sequence),"t":\#(t),"rate_hz":\#(rateHz),"acc":[[0,0,9.8],[0,0,9.8]]}"#
        }
        for sequence in 0..<3 {
            send("good", frame(sequence))
            send("slow", frame(sequence, rateHz: 5))
            send("meagre", frame(sequence, rateHz: 15))
            send("late", frame(sequence, t: 1_795_190_400))
            send("gappy", frame(sequence * 3))
            send("anonymous", #"{"t":1795194000,"rate_hz":50,"acc":[[0,0,9.8],[0,0,9.8]]}"#)
            send("junk", "{")
            send("phone", #"{"x":[0,0],"y":[0,0],"z":[9.8,9.8],"t":[0,0.02],"time":{"now":1795194000}}"#)
            send("crank", #"{"boot":1,"seq":\#(sequence),"revolutions":\#(sequence)}"#, on: "rev")
        }
        let grades = Dictionary(
            uniqueKeysWithValues: survey.findings(listenSeconds: 1).map { ($0.subject.dropFirst(7), $0) })
        #expect(grades["good"]?.grade == .good)
        #expect(grades["crank"]?.observation == "3 counts in 1 s: it counts by itself")
        #expect(grades["slow"]?.grade == .bad && grades["junk"]?.grade == .bad)
        for (device, word) in [
            ("meagre", "15 Hz"), ("late", "3600 s off"), ("gappy", "4 frames"), ("anonymous", "seq"),
            ("phone", "3 frames in 1 s at 50 Hz; frames have no boot"),
        ] {
            let finding = try #require(grades[Substring(device)])
            #expect(finding.grade == .warning && finding.observation.contains(word), "\(finding)")
        }
    }
}
