import PrivateBroker
import ServiceKit
import Foundation
import Ingest
import MQTT
import ServiceLifecycle
import Testing
import Wire

@Suite("The ingest service on a real broker", .timeLimit(.minutes(5)))
struct IngestServiceTests {
    @Test("Frames go in and the same frames come out", arguments: [MQTTVersion.v5, .v311])
    func path(version: MQTTVersion) async throws {
        try await IngestBench.run { bench in
            let observer = try bench.observer(["service/motion/+"])
            try await observer.ready()
            let ingest = try bench.start(version: version)
            try await bench.whenReading()
            let device = try bench.device()
            let sent = (0..<40).map { Sample.frame(sequence: UInt64($0)) }
            for frame in sent { try await device.publish(["a", "b", "c"].map { bench.imu($0, frame) }) }
            let records = try await observer.frames(120)
            for name in ["a", "b", "c"] {
                let id = try DeviceID(name)
                #expect(records.filter { $0.device == id }.compactMap(\.frame) == sent)
            }
            await device.stop()
            try await ingest.shutDown()
        }
    }

    @Test("What was not accepted as motion is not acknowledged: another ingest gets it again")
    func acknowledgedAfterMotion() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try folder.write("access", "topic readwrite #\ntopic deny test/service/motion/#\n")
        let broker = EmbeddedBrokerConfiguration(
            persistenceDirectory: folder.path + "/state", extraLines: ["acl_file \(folder.path)/access"])
        try await IngestBench.run(broker) { bench in
            let health = try bench.observer(["service/ingest/health"], id: "health")
            try await health.ready()
            let refusedOne = try bench.start()
            try await bench.whenReading()
            let device = try bench.device()
            let sent = (0..<5).map { Sample.frame(sequence: UInt64($0)) }
            try await device.publish(sent.map { bench.imu("a", $0) })
            let report = try await health.health { ($0["publish_retries"] ?? 0) > 0 && ($0["received"] ?? 0) > 0 }
            #expect(report != nil)
            await refusedOne.cancel()

            try folder.write("access", "topic readwrite #\n")
            try await bench.broker.restart()
            let observer = try bench.observer(["service/motion/+"])
            try await observer.ready()
            let ingest = try bench.start()
            let frames = try await observer.frames(5).compactMap(\.frame)
            #expect(frames == sent)
            await device.stop()
            try await ingest.shutDown()
        }
    }

    @Test(
        "A second ingest takes over: the first ends with a line that says so, and no frame is lost",
        arguments: [MQTTVersion.v5, .v311])
    func takenOver(version: MQTTVersion) async throws {
        try await IngestBench.run { bench in
            let observer = try bench.observer(["service/motion/+"])
            try await observer.ready()
            let first = try bench.start(version: version)
            try await bench.whenReading()
            let device = try bench.device()
            let sent = (0..<40).map { Sample.frame(sequence: UInt64($0)) }
            for frame in sent.prefix(20) { try await device.publish([bench.imu("a", frame)]) }
            let second = try bench.start(version: version)
            for frame in sent.suffix(20) { try await device.publish([bench.imu("a", frame)]) }
            await #expect(throws: ServiceConnectionError.takenOver(.ingest, root: "test")) {
                try await first.task.value
            }
            var heard: Set<UInt64> = []
            _ = try await observer.first { _, payload -> Bool? in
                for case .sequenced(_, let sequence)? in try motionRecords(payload).map(\.frame?.identity) {
                    heard.insert(sequence)
                }
                return heard.count == sent.count ? true : nil
            }
            #expect(heard == Set(0..<40))
            await device.stop()
            try await second.shutDown()
        }
    }

    @Test("What nobody counts yet is kept by the broker, and comes when somebody does")
    func noCounterYet() async throws {
        try await IngestBench.run { bench in
            let health = try bench.observer(["service/ingest/health"], id: "health")
            try await health.ready()
            let ingest = try bench.start()
            try await bench.whenReading()
            let device = try bench.device()
            let sent = (0..<5).map { Sample.frame(sequence: UInt64($0)) }
            for frame in sent { try await device.publish(["a", "b", "c"].map { bench.imu($0, frame) }) }
            #expect(try await health.health { ($0["publish_retries"] ?? 0) > 0 } != nil)

            let observer = try bench.observer(["service/motion/+"])
            try await observer.ready()
            let records = try await observer.frames(15)
            for name in ["a", "b", "c"] {
                let id = try DeviceID(name)
                #expect(records.filter { $0.device == id }.compactMap(\.frame) == sent)
            }
            await device.stop()
            try await ingest.shutDown()
        }
    }

    @Test("What was acknowledged does not come again")
    func acknowledgedOnce() async throws {
        try await IngestBench.run { bench in
            let observer = try bench.observer(["service/motion/+"])
            try await observer.ready()
            let first = try bench.start()
            try await bench.whenReading()
            let device = try bench.device()
            try await device.publish([bench.imu("a", Sample.frame(sequence: 0))])
            _ = try await observer.frames(1)
            try await first.shutDown()
            try await device.publish([bench.imu("a", Sample.frame(sequence: 1))])
            let second = try bench.start()
            try await device.publish([bench.imu("a", Sample.frame(sequence: 2))])
            let frames = try await observer.frames(2).compactMap(\.frame)
            #expect(frames == [Sample.frame(sequence: 1), Sample.frame(sequence: 2)])
            await device.stop()
            try await second.shutDown()
        }
    }

    @Test("A broker that is absent at the start is waited for")
    func absentBroker() async throws {
        try await IngestBench.run { bench in
            bench.broker.kill()
            let ingest = try bench.start()
            let observer = try bench.observer(["service/motion/+", "service/ingest/status"])
            let device = try bench.device()
            try await bench.broker.restart()
            try await bench.whenReading()
            try await device.publish([bench.imu("a", Sample.frame(sequence: 0))])
            #expect(try await observer.frames(1).compactMap(\.frame) == [Sample.frame(sequence: 0)])
            await device.stop()
            try await ingest.shutDown()
        }
    }

    @Test("Refusals are readable on the service's health, and reach the counter as records")
    func refusals() async throws {
        try await IngestBench.run { bench in
            let observer = try bench.observer(["service/motion/+"])
            let health = try bench.observer(["service/ingest/health"], id: "health")
            try await observer.ready()
            let ingest = try bench.start()
            try await bench.whenReading()
            let device = try bench.device()
            for junk in Sample.junk {
                try await device.publish(MQTTPublication(topic: "test/bad/imu", payload: junk))
            }
            let report = try await health.health { $0["refused"] == UInt64(Sample.junk.count) }
            #expect(report?["refused_empty_payload"] == 1)
            #expect(report?["accepted"] == 0)
            let bad = try DeviceID("bad")
            var told = 0
            _ = try await observer.first { _, payload -> Bool? in
                let records = try motionRecords(payload).filter { $0.device == bad }
                told += records.compactMap(\.refusal).map { Int($0.count) }.reduce(0, +)
                return told == Sample.junk.count ? true : nil
            }
            await device.stop()
            try await ingest.shutDown()
        }
    }

    @Test("Ingest says that it is online, and says goodbye")
    func status() async throws {
        try await IngestBench.run { bench in
            let status = try bench.observer(["service/ingest/status"])
            try await status.ready()
            let polite = try bench.start()
            #expect(try await status.first { _, word in String(decoding: word, as: UTF8.self) } == "online")
            try await polite.shutDown()
            // The birth may be said twice, once for each connection.
            let goodbye = try await status.first { _, word in word == Array("offline".utf8) ? true : nil }
            #expect(goodbye == true)
        }
    }

    @Test("A shutdown without a broker ends in a few seconds")
    func shutdownWithoutBroker() async throws {
        try await IngestBench.run(endsBroker: true) { bench in
            let ingest = try bench.start()
            try await bench.whenReading()
            bench.broker.kill()
            let start = ContinuousClock.now
            try await ingest.shutDown()
            // It waits three seconds for the broker; keep-alives and back-off alone would take longer than this.
            #expect(ContinuousClock.now - start < .seconds(13))
        }
    }

    @Test("Credentials that the broker refuses end the service with a line that says so")
    func badCredentials() async throws {
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["allow_anonymous false"])
        try await IngestBench.run(configuration, endsBroker: true) { bench in
            let ingest = try bench.start()
            await #expect(throws: ServiceConnectionError.self) { try await ingest.task.value }
        }
    }
}

/// A folder for one test.
struct Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/stridebus-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
