import Contract
import ServiceKit
import Foundation
import MQTT
import ServiceLifecycle
import Synchronization
import Testing
import Wire
import stridebus

@Suite("What the bus says of itself adds up", .timeLimit(.minutes(5)))
struct AccountsTests {
    @Test("Every message is found again in exactly one place, from the device to history")
    func addsUp() async throws {
        let probe = try await RunningBus.with(checked: .sent) { bus in AccountsProbe(settings: bus.run.settings) }
        let (ingest, counter, history) = try #require(probe.services)
        let device = try #require(probe.walker)

        #expect(ingest["received"] == UInt64(AccountsProbe.messages))
        #expect(ingest["received"] == sum(ingest, "accepted", "refused"))
        #expect(
            ingest["refused"] == ingest.counters.filter { $0.name.hasPrefix("refused_") }.reduce(0) { $0 + $1.value })
        #expect(ingest["refused"] == UInt64(AccountsProbe.junk))
        #expect(ingest["without_content"] == 1)

        // What ingest accepted is what the counter was given, beside the refusals that ingest passes on.
        #expect(counter["motion_messages"] == ingest["batches"])
        #expect(sum(counter, "received") - sum(counter, "refused") == sum(ingest, "accepted") - 1)
        #expect(
            sum(counter, "received")
                == sum(counter, "accepted", "duplicate", "late", "stale", "refused", "waiting"))
        #expect(counter["accepted"] == UInt64(AccountsProbe.inOrder + AccountsProbe.cranks))
        #expect(counter["duplicate"] == UInt64(AccountsProbe.repeated + 1))
        #expect(counter["late"] == 1 && counter["waiting"] == 0)
        #expect(counter["missing"] == UInt64(AccountsProbe.missing))
        #expect(sum(counter, "commits") >= 1 && counter["commit_failures"] == 0)

        // The device's own health tells the same of its part.
        #expect(device.accepted == UInt64(AccountsProbe.inOrder) && device.late == 1)
        #expect(device.duplicate == UInt64(AccountsProbe.repeated) && device.missing == UInt64(AccountsProbe.missing))
        #expect(device.refusedByReason[.malformed] == UInt64(AccountsProbe.junk))

        // Every row that the counter published has reached history and was new, known, or refused.
        #expect(history["batches"] == counter["published_batches"])
        #expect(history["rows_received"] == counter["published_rows"])
        #expect(history["rows_received"] == sum(history, "rows_applied", "rows_repeated", "rows_refused"))
        #expect(history["rows_refused"] == 0 && sum(history, "rows_applied") > 0)
    }

    private func sum(_ health: ServiceHealth, _ names: String...) -> UInt64 {
        names.reduce(0) { $0 + (health[$1] ?? 0) }
    }
}

/// Sends a known mixture, and listens until all healths tell of all of it.
final class AccountsProbe: Service {
    /// Frames of a second that come in order, beginning with 0; the numbers left out; the one of them that comes late.
    static let planned = 40
    static let leftOut: Set<Int> = [12, 20, 21]
    static let lateOne = 12
    static let repeated = 5
    static let cranks = 6
    static let junk = 4
    static var inOrder: Int { planned - leftOut.count }
    static var missing: Int { leftOut.count - 1 }
    /// All messages: those, a crank's message twice, and a wheel without a crank.
    static var messages: Int { inOrder + 1 + repeated + cranks + 1 + junk + 1 }

    private struct Heard {
        var services: [ServiceName: ServiceHealth] = [:]
        var walker: DeviceHealth?
        var online: Set<ServiceName> = []
    }

    private let settings: BusSettings
    private let heard = Mutex(Heard())

    init(settings: BusSettings) {
        self.settings = settings
    }

    var walker: DeviceHealth? { heard.withLock { $0.walker } }
    var services: (ingest: ServiceHealth, counter: ServiceHealth, history: ServiceHealth)? {
        heard.withLock { heard in
            guard let ingest = heard.services[.ingest], let counter = heard.services[.counter],
                let history = heard.services[.history]
            else { return nil }
            return (ingest, counter, history)
        }
    }

    func run() async throws {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: settings.endpoint, clientID: "accounts-listener"),
            subscriptions: ServiceName.allCases.flatMap {
                [settings.topics.text(.serviceHealth($0)), settings.topics.text(.serviceStatus($0))]
            }.map { MQTTSubscription($0) } + [MQTTSubscription(settings.topics.filter(every: .health))])
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: settings.endpoint, clientID: "accounts-sender"))
        var parts = [[frame(Self.lateOne)], mixture()]
        for try await batch in consumer.batches {
            for message in batch { try note(message) }
            batch.acknowledge()
            // Rows that the counter publishes before history has ever subscribed are published again later.
            let isDue =
                parts.count == 2
                ? heard.withLock { $0.online.count == ServiceName.allCases.count }
                : walker?.missing == UInt64(Self.leftOut.count)
            if isDue, let part = parts.popLast() { try await producer.publish(part) }
            if isSettled { break }
        }
        consumer.stop()
        await producer.stop()
        await consumer.waitUntilStopped()
    }

    private func note(_ message: MQTTMessage) throws {
        switch try settings.topics.parse(message.topic) {
        case .serviceHealth(let name):
            let health = try ServiceHealth(json: message.payload)
            heard.withLock { $0.services[name] = health }
        case .device(let device, _):
            guard device.description == "walker-1" else { return }
            let health = try DeviceHealth(json: message.payload)
            heard.withLock { $0.walker = health }
        case .serviceStatus(let name):
            guard message.payload.elementsEqual("online".utf8) else { return }
            heard.withLock { _ = $0.online.insert(name) }
        default: break
        }
    }

    /// Whether everything has come to rest: the healths come every few seconds, each at its own time.
    private var isSettled: Bool {
        guard let (ingest, counter, history) = services, let walker else { return false }
        return ingest["received"] == UInt64(Self.messages) && counter["waiting"] == 0 && counter["late"] == 1
            && counter["motion_messages"] == ingest["batches"]
            && sum(counter, "accepted") == UInt64(Self.inOrder + Self.cranks)
            && history["rows_received"] == counter["published_rows"] && sum(history, "rows_applied") > 0
            // A row is received before its commit: a health in between tells the one and not yet the other.
            && ["rows_applied", "rows_repeated", "rows_refused"].reduce(0) { $0 + sum(history, $1) }
                == history["rows_received"]
            && walker.late == 1 && walker.refused == UInt64(Self.junk) && walker.accepted == UInt64(Self.inOrder)
    }

    private func sum(_ health: ServiceHealth, _ name: String) -> UInt64 { health[name] ?? 0 }

    /// All but the late one, which is sent when it has been given up.
    private func mixture() -> [MQTTPublication] {
        let numbers = (0..<Self.planned).filter { !Self.leftOut.contains($0) }
        var frames = numbers.map(frame)
        for index in 0..<Self.repeated { frames.insert(frames[index * 3], at: index * 3 + 7) }
        let crank = (0..<Self.cranks).map {
            message("bike-1/rev", #"{"boot":1,"seq":\#($0),"revolutions":\#($0 * 7)}"#)
        }
        let wheel = MQTTPublication(topic: "\(settings.topics.root)/bike-1/csc", payload: [1, 9, 0, 0, 0, 0, 4])
        let junk = (0..<Self.junk).map { message("walker-1/imu", #"{"boot":"b","seq":\#($0)"#) }
        return frames + crank + [crank[2], wheel] + junk
    }

    private func frame(_ number: Int) -> MQTTPublication {
        let samples = (0..<25).map { sample -> String in
            let up = 9.81 + 3 * sin(2 * Double.pi * 1.8 * (Double(number) + Double(sample) / 25))
            return "[0.1,0.2,\(up)]"
        }
        let time = 1_795_194_000 + number
        return message(
            "walker-1/imu",
            #"{"boot":"b","seq":\#(number),"t":\#(time),"rate_hz":25,"acc":[\#(samples.joined(separator: ","))]}"#)
    }

    private func message(_ path: String, _ json: String) -> MQTTPublication {
        MQTTPublication(topic: "\(settings.topics.root)/\(path)", payload: Array(json.utf8))
    }
}
