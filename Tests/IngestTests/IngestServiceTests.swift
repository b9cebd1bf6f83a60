import Ingest
import MQTT
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Wire

@Suite("The ingest service on a real broker", .timeLimit(.minutes(5)))
struct IngestServiceTests {
    private let folder = TemporaryFolder()

    /// Expects so many frames of each of three devices, in order.
    private func expectFrames(_ count: UInt64, _ motion: BusListener) async throws {
        let records = try await motion.frames(3 * Int(count))
        for id: DeviceID in ["a", "b", "c"] {
            let frames = records.filter { $0.device == id }.compactMap(\.frame)
            #expect(frames == (0..<count).map { Sample.frame(sequence: $0) })
        }
    }

    @Test("Frames go in and the same frames come out", arguments: [MQTTVersion.v5, .v311])
    func path(version: MQTTVersion) async throws {
        try await IngestBench.run { bench in
            let motion = try await bench.motion()
            let ingest = try await bench.reading(version: version)
            for sequence in 0..<40 as Range<UInt64> {
                try await bench.send(Sample.frame(sequence: sequence), of: ["a", "b", "c"])
            }
            try await expectFrames(40, motion)
            try await ingest.stop()
        }
    }

    @Test("What was not accepted as motion is not acknowledged: another ingest gets it again")
    func acknowledgedAfterMotion() async throws {
        let access = try folder.write("access", "topic readwrite #\ntopic deny test/service/motion/#\n")
        let broker = EmbeddedBrokerConfiguration(
            persistenceDirectory: folder.path + "/state", extraLines: ["acl_file \(access)"])
        try await IngestBench.run(broker) { bench in
            let health = try await bench.listener("health")
            let refusedOne = try await bench.reading()
            let sent = (0..<5).map { Sample.frame(sequence: UInt64($0)) }
            for frame in sent { try await bench.send(frame) }
            try await health.health { ($0["publish_retries"] ?? 0) > 0 && ($0["received"] ?? 0) > 0 }
            await refusedOne.kill()

            try folder.write("access", "topic readwrite #\n")
            try await bench.bus.broker.restart()
            let motion = try await bench.motion()
            let ingest = bench.start()
            #expect(try await motion.frames(5).compactMap(\.frame) == sent)
            try await ingest.stop()
        }
    }

    @Test(
        "A second ingest takes over: the first ends with a line that says so, and no frame is lost",
        arguments: [MQTTVersion.v5, .v311])
    func takenOver(version: MQTTVersion) async throws {
        try await IngestBench.run { bench in
            let motion = try await bench.motion()
            let first = try await bench.reading(version: version)
            for sequence in 0..<20 as Range<UInt64> { try await bench.send(Sample.frame(sequence: sequence)) }
            let second = bench.start(version: version)
            for sequence in 20..<40 as Range<UInt64> { try await bench.send(Sample.frame(sequence: sequence)) }
            await #expect(throws: ServiceConnectionError.takenOver(.ingest, root: "test")) {
                try await first.task.value
            }
            try await motion.records { records in
                let sequences = records.compactMap { record -> UInt64? in
                    guard case .sequenced(_, let sequence)? = record.frame?.identity else { return nil }
                    return sequence
                }
                return Set(sequences) == Set(0..<40)
            }
            try await second.stop()
        }
    }

    @Test("What nobody counts yet is kept by the broker, and comes when somebody does")
    func noCounterYet() async throws {
        try await IngestBench.run { bench in
            let health = try await bench.listener("health")
            let ingest = try await bench.reading()
            for sequence in 0..<5 as Range<UInt64> {
                try await bench.send(Sample.frame(sequence: sequence), of: ["a", "b", "c"])
            }
            try await health.health { ($0["publish_retries"] ?? 0) > 0 }
            try await expectFrames(5, try await bench.motion())
            try await ingest.stop()
        }
    }

    @Test("What was acknowledged does not come again")
    func acknowledgedOnce() async throws {
        try await IngestBench.run { bench in
            let motion = try await bench.motion()
            let first = try await bench.reading()
            try await bench.send(Sample.frame(sequence: 0))
            _ = try await motion.frames(1)
            try await first.stop()
            try await bench.send(Sample.frame(sequence: 1))
            let second = bench.start()
            try await bench.send(Sample.frame(sequence: 2))
            #expect(try await motion.frames(3).compactMap(\.frame) == (0..<3).map { Sample.frame(sequence: $0) })
            try await second.stop()
        }
    }

    @Test("A broker that is absent at the start is waited for")
    func absentBroker() async throws {
        try await IngestBench.run { bench in
            bench.bus.broker.kill()
            let ingest = bench.start()
            try await bench.bus.broker.restart()
            let (motion, status) = (try await bench.motion(), try await bench.listener("status"))
            try await status.wait(for: "test/service/ingest/status") { $0.text == "online" }
            try await bench.send(Sample.frame(sequence: 0))
            #expect(try await motion.frames(1).compactMap(\.frame) == [Sample.frame(sequence: 0)])
            try await ingest.stop()
        }
    }

    @Test("Refusals are readable on the service's health, and reach the counter as records")
    func refusals() async throws {
        try await IngestBench.run { bench in
            let (motion, health) = (try await bench.motion(), try await bench.listener("health"))
            let ingest = try await bench.reading()
            for junk in Sample.junk { try await bench.send(junk, of: "bad") }
            let report = try await health.health { $0["refused"] == UInt64(Sample.junk.count) }
            #expect(report["refused_empty_payload"] == 1)
            #expect(report["accepted"] == 0)
            try await motion.records { records in
                let refusals = records.filter { $0.device == "bad" }.compactMap(\.refusal)
                return refusals.reduce(0) { $0 + Int($1.count) } == Sample.junk.count
            }
            try await ingest.stop()
        }
    }

    @Test("Ingest says that it is online, and says goodbye")
    func status() async throws {
        try await IngestBench.run { bench in
            let (topic, status) = ("test/service/ingest/status", try await bench.listener("status"))
            let polite = bench.start()
            #expect(try await status.wait(for: topic).text == "online")
            try await polite.stop()
            // The birth may be said twice, once for each connection.
            try await status.wait(for: topic) { $0.text == "offline" }
        }
    }

    @Test("A shutdown without a broker ends in a few seconds")
    func shutdownWithoutBroker() async throws {
        try await IngestBench.run(endsBroker: true) { bench in
            let ingest = try await bench.reading()
            bench.bus.broker.kill()
            let start = ContinuousClock.now
            try await ingest.stop()
            // It waits three seconds for the broker; keep-alives and back-off alone would take longer than this.
            #expect(ContinuousClock.now - start < .seconds(13))
        }
    }

    @Test("Credentials that the broker refuses end the service with a line that says so")
    func badCredentials() async throws {
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["allow_anonymous false"])
        try await IngestBench.run(configuration, endsBroker: true) { bench in
            await #expect(throws: ServiceConnectionError.self) { try await bench.start().task.value }
        }
    }
}
