import FIT
import Foundation
import MQTT
import ServiceKit
import ServiceLifecycle
import Synchronization
import TestBroker
import Testing
import Wire
import stridebus

@Suite("Rides of other devices", .timeLimit(.minutes(5)))
struct ImportTests {
    @Test("What a FIT file recorded counts once, however often it is imported")
    func once() async throws {
        let session = try await RunningBus.with { ImportedRides(bus: $0) }
        #expect(session.texts[0].hasSuffix("ride.fit: 1200 s of \(ImportedRides.device)\n"))
        // 20 minutes of 60 rpm, and a minute of 90 an hour later.
        #expect(session.revolutions == 1200 + 90)
    }

    @Test("A file that is not there, is none, or has times to come is named, and nothing is sent")
    func unusable() async throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let text = URL(filePath: folder.path + "/text.fit")
        try Data("ride".utf8).write(to: text)
        let tomorrow = try ImportedRides.write(
            "tomorrow.fit", Int64(Date().timeIntervalSince1970) + 86_400, minutes: 1, rpm: 60,
            to: URL(filePath: folder.path))
        for (file, words) in [
            (folder.path + "/nowhere.fit", "cannot be read"), (text.path, "its end is missing"),
            (tomorrow.path, "to come"),
        ] {
            let program = try Program(["import", file, "--broker", "mqtt://127.0.0.1:1"])
            #expect(try await program.exitCode() == 1)
            #expect(program.errorText.hasPrefix("Error: \(file): "))
            #expect(program.errorText.contains(words))
        }
    }
}

/// Imports a ride twice and then another one, and waits for the total of both.
private final class ImportedRides: Service {
    /// By the serial number in the files, which follows from the name of the device.
    static let device = "fit-\(UInt32(truncatingIfNeeded: Array("watch".utf8).withUnsafeBytes(StableHash.of)) | 1)"

    private let bus: RunningBus
    private let found = Mutex<(texts: [String], revolutions: UInt64)>(([], 0))

    init(bus: RunningBus) { self.bus = bus }

    var texts: [String] { found.withLock { $0.texts } }
    var revolutions: UInt64 { found.withLock { $0.revolutions } }

    func run() async throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let start = (Int64(Date().timeIntervalSince1970) / 60 - 180) * 60
        let ride = try Self.write("ride.fit", start, minutes: 20, rpm: 60, to: URL(filePath: folder.path))
        let late = try Self.write("late.fit", start + 3600, minutes: 1, rpm: 90, to: URL(filePath: folder.path))
        let topics = bus.run.settings.topics
        let (status, total) = (topics.text(.serviceStatus(.ingest)), "\(topics.root)/\(Self.device)/total")
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: "import-listener"),
            subscriptions: [status, total].map { MQTTSubscription($0) })
        for try await heard in consumer.batches {
            for message in heard {
                if message.topic.elementsEqual(status.utf8), message.payload.elementsEqual("online".utf8), texts.isEmpty
                {
                    for file in [ride, ride, late] { try await take(file) }
                } else if let totals = try? DeviceTotals(json: message.payload) {
                    found.withLock { $0.revolutions = UInt64(clamping: totals.counts[.revolutions]) }
                }
            }
            heard.acknowledge()
            if revolutions >= 1290 { break }
        }
    }

    private func take(_ file: URL) async throws {
        let broker = ["--broker", "mqtt://127.0.0.1:\(bus.endpoint.port)", "--root", bus.root]
        let program = try Program(["import", file.path] + broker)
        #expect(try await program.exitCode() == 0, "\(program.errorText)")
        found.withLock { $0.texts.append(program.outputText) }
    }

    static func write(_ name: String, _ start: Int64, minutes: Int, rpm: Int, to folder: URL) throws -> URL {
        let workout = Workout { ($0.devices, $0.start) = (["watch"], Double(start)) }
        let count = 60 * minutes
        let numbers = WorkoutData {
            ($0.cadence, $0.watts) = (Array(repeating: rpm, count: count), Array(repeating: 5_000, count: count))
            $0.bpm = (0..<count).map { 120 + $0 % 9 }
        }
        let activity = FITActivity(workout, numbers)
        let file = folder.appending(path: name)
        try Data(activity.encoded()).write(to: file)
        return file
    }
}
