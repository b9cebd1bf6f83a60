import Contract
import ServiceKit
import Foundation
import MQTT
import ServiceLifecycle
import Synchronization
import Testing
import Wire
import stridebus

@Suite(.timeLimit(.minutes(5)))
struct BadInputTests {
    @Test(
        "Whatever comes, it is refused by its reason, readable on ingest's health and on the device's, and the rest goes on"
    )
    func refused() async throws {
        let probe = try await RunningBus.with(checked: .sent) { bus in JunkProbe(settings: bus.run.settings) }
        let ingest = try #require(probe.ingest)
        for (reason, count) in JunkProbe.expectedReasons {
            #expect(ingest["refused_\(reason.reason)"] == UInt64(count), "\(reason)")
        }
        #expect(ingest["accepted"] == 1)
        let device = try #require(probe.device)
        #expect(!device.ok)
        #expect(device.problem?.isEmpty == false)
        #expect(device.refused == UInt64(JunkProbe.deviceJunk.count))
        #expect(device.refusedByReason[.malformed] == 1)
        #expect(device.accepted == 1)
    }
}

/// Sends junk and one good frame, and listens until both healths tell of all of it.
final class JunkProbe: Service {
    private let settings: BusSettings
    private let heard = Mutex<(ingest: ServiceHealth?, device: DeviceHealth?)>((nil, nil))

    init(settings: BusSettings) {
        self.settings = settings
    }

    var ingest: ServiceHealth? { heard.withLock { $0.ingest } }
    var device: DeviceHealth? { heard.withLock { $0.device } }

    static let good = #"{"boot":"k3f9","seq":0,"t":1795194000.12,"rate_hz":50,"acc":[[0.12,-0.33,9.79],[0.1,0,9.8]]}"#

    /// Junk on the device's own topic.
    static let deviceJunk: [(payload: [UInt8], reason: WireError)] = [
        ([], .emptyPayload),
        (Array(good.utf8.dropLast(9)), .malformed),
        (Array(repeating: UInt8(ascii: "["), count: 1_000_000), .payloadTooLarge),
        (Array(good.replacing("9.79", with: "1e308").utf8), .outOfRange),
        (Array(good.replacing("0.12,-0.33,9.79", with: "1,2,\"x\"").utf8), .wrongType),
        (Array(good.replacing("50", with: "5000000").utf8), .absurdRate),
        (Array(good.replacing("1795194000.12", with: "-1e30").utf8), .absurdTime),
        (frame(samples: 5_000), .tooManySamples),
        (Array(good.utf8.dropLast(2)) + [0xff, 0xfe] + Array("]]}".utf8), .notUTF8),
        (Array(#"{"boot":"k3f9","seq":0,"t":1795194000,"rate_hz":50,"acc":[]}"#.utf8), .noSamples),
    ]

    /// Junk that belongs to no device.
    static let strayTopics: [(level: String, reason: WireError)] = [
        ("BIKE-7/imu", .invalidDeviceID), ("bike 7/imu", .invalidDeviceID), ("request/imu", .unknownTopic),
    ]

    static var expectedReasons: [WireError: Int] {
        (deviceJunk.map(\.reason) + strayTopics.map(\.reason)).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    func run() async throws {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: settings.endpoint, clientID: "junk-listener"),
            subscriptions: [
                MQTTSubscription(settings.topics.text(.serviceHealth(.ingest))),
                MQTTSubscription(settings.topics.text(.serviceStatus(.ingest))),
                MQTTSubscription(settings.topics.filter(every: .health)),
            ])
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: settings.endpoint, clientID: "junk-sender"))
        var isSent = false
        for try await batch in consumer.batches {
            for message in batch { try note(message) }
            batch.acknowledge()
            if !isSent, isIngestReading { isSent = true; try await producer.publish(messages) }
            if isComplete { break }
        }
        consumer.stop()
        await producer.stop()
        await consumer.waitUntilStopped()
    }

    private let online = Mutex(false)
    private var isIngestReading: Bool { online.withLock { $0 } }

    private var isComplete: Bool {
        let total = Self.deviceJunk.count + Self.strayTopics.count
        return heard.withLock { heard in
            heard.ingest?["refused"] == UInt64(total) && heard.ingest?["accepted"] == 1
                && heard.device?.refused == UInt64(Self.deviceJunk.count) && heard.device?.accepted == 1
        }
    }

    private func note(_ message: MQTTMessage) throws {
        switch try settings.topics.parse(message.topic) {
        case .serviceHealth: try heard.withLock { $0.ingest = try ServiceHealth(json: message.payload) }
        case .device: try heard.withLock { $0.device = try DeviceHealth(json: message.payload) }
        default: online.withLock { $0 = message.payload.elementsEqual("online".utf8) }
        }
    }

    private var messages: [MQTTPublication] {
        let root = settings.topics.root
        return Self.deviceJunk.map { MQTTPublication(topic: "\(root)/bike-7/imu", payload: $0.payload) }
            + Self.strayTopics.map { MQTTPublication(topic: "\(root)/\($0.level)", payload: Array(Self.good.utf8)) }
            + [MQTTPublication(topic: "\(root)/bike-7/imu", payload: Array(Self.good.utf8))]
    }

    private static func frame(samples: Int) -> [UInt8] {
        let rows = Array(repeating: "[0,0,9]", count: samples).joined(separator: ",")
        return Array(#"{"boot":"k","seq":1,"t":1795194000,"rate_hz":400,"acc":[\#(rows)]}"#.utf8)
    }
}
