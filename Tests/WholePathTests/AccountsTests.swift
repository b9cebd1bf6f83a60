import Contract
import Foundation
import MQTT
import TestBroker
import Testing
import Wire

@Suite("What the bus says of itself adds up", .timeLimit(.minutes(5)))
struct AccountsTests {
    /// Frames of a second that come in order, beginning with 0; the numbers left out; the one of them that comes late.
    private static let planned = 40
    private static let leftOut: Set<Int> = [12, 20, 21]
    private static let lateOne = 12
    private static let repeated = 5
    private static let cranks = 6
    private static let junk = 4
    private static var inOrder: Int { planned - leftOut.count }
    private static var missing: Int { leftOut.count - 1 }
    /// All messages: those, a crank's message twice, and a wheel without a crank.
    private static var messages: Int { inOrder + 1 + repeated + cranks + 1 + junk + 1 }

    @Test("Every message is found again in exactly one place, from the device to history")
    func addsUp() async throws {
        let told = try await RunningBus.with(checked: .sent) { bus in
            let listener = try await bus.listener("service/+/status", "service/+/health", "walker-1/health")
            // Rows that the counter publishes before history has ever subscribed are published again later.
            try await listener.waitForServices()
            let producer = bus.producer()
            try await producer.publish(Self.mixture(root: bus.root))
            try await listener.wait { Healths($0).walker?.missing == UInt64(Self.leftOut.count) }
            try await producer.publish(Self.frame(Self.lateOne, root: bus.root))
            try await listener.wait { Healths($0).haveSettled }
            await producer.stop()
            return Healths(listener.heard)
        }
        let (ingest, counter, history) = (told.ingest, told.counter, told.history)
        let device = try #require(told.walker)

        #expect(ingest["received"] == UInt64(Self.messages))
        #expect(ingest["received"] == ingest.sum("accepted", "refused"))
        #expect(
            ingest["refused"] == ingest.counters.filter { $0.name.hasPrefix("refused_") }.reduce(0) { $0 + $1.value })
        #expect(ingest["refused"] == UInt64(Self.junk))
        #expect(ingest["without_content"] == 1)

        // What ingest accepted is what the counter was given, beside the refusals that ingest passes on.
        #expect(counter["motion_messages"] == ingest["batches"])
        #expect(counter.sum("received") - counter.sum("refused") == ingest.sum("accepted") - 1)
        #expect(
            counter.sum("received") == counter.sum("accepted", "duplicate", "late", "stale", "refused", "waiting"))
        #expect(counter["accepted"] == UInt64(Self.inOrder + Self.cranks))
        #expect(counter["duplicate"] == UInt64(Self.repeated + 1))
        #expect(counter["late"] == 1 && counter["waiting"] == 0)
        #expect(counter["missing"] == UInt64(Self.missing))
        #expect(counter.sum("commits") >= 1 && counter["commit_failures"] == 0)

        // The device's own health tells the same of its part.
        #expect(device.accepted == UInt64(Self.inOrder) && device.late == 1)
        #expect(device.duplicate == UInt64(Self.repeated) && device.missing == UInt64(Self.missing))
        #expect(device.refusedByReason[.malformed] == UInt64(Self.junk))

        // Every row that the counter published has reached history and was new, known, or refused.
        #expect(history["batches"] == counter["published_batches"])
        #expect(history["rows_received"] == counter["published_rows"])
        #expect(history["rows_received"] == history.sum("rows_applied", "rows_repeated", "rows_refused"))
        #expect(history["rows_refused"] == 0 && history.sum("rows_applied") > 0)
    }

    /// All but the late one, which is sent when it has been given up.
    private static func mixture(root: String) -> [MQTTPublication] {
        let numbers = (0..<planned).filter { !leftOut.contains($0) }
        var frames = numbers.map { frame($0, root: root) }
        for index in 0..<repeated { frames.insert(frames[index * 3], at: index * 3 + 7) }
        let crank = (0..<cranks).map {
            MQTTPublication("\(root)/bike-1/rev", #"{"boot":1,"seq":\#($0),"revolutions":\#($0 * 7)}"#)
        }
        let wheel = MQTTPublication(topic: "\(root)/bike-1/csc", payload: [1, 9, 0, 0, 0, 0, 4])
        let junk = (0..<junk).map { MQTTPublication("\(root)/walker-1/imu", #"{"boot":"b","seq":\#($0)"#) }
        return frames + crank + [crank[2], wheel] + junk
    }

    private static func frame(_ number: Int, root: String) -> MQTTPublication {
        let samples = (0..<25).map { sample -> String in
            let up = 9.81 + 3 * sin(2 * Double.pi * 1.8 * (Double(number) + Double(sample) / 25))
            return "[0.1,0.2,\(up)]"
        }
        let time = 1_795_194_000 + number
        return MQTTPublication(
            "\(root)/walker-1/imu",
            #"{"boot":"b","seq":\#(number),"t":\#(time),"rate_hz":25,"acc":[\#(samples.joined(separator: ","))]}"#)
    }

    /// The last healths that were told.
    private struct Healths {
        private var services: [ServiceName: ServiceHealth] = [:]
        private(set) var walker: DeviceHealth?
        var ingest: ServiceHealth { of(.ingest) }
        var counter: ServiceHealth { of(.counter) }
        var history: ServiceHealth { of(.history) }

        init(_ heard: [BusListener.Heard]) {
            for message in heard where message.topic.hasSuffix("/health") {
                if message.topic.contains("/walker-1/") {
                    walker = try? DeviceHealth(json: message.payload)
                } else if let health = try? ServiceHealth(json: message.payload) {
                    services[health.service] = health
                }
            }
        }

        private func of(_ name: ServiceName) -> ServiceHealth {
            services[name] ?? ServiceHealth(t: 0, service: name, counters: [])
        }

        /// Whether everything has come to rest: the healths come every few seconds, each at its own time.
        var haveSettled: Bool {
            ingest["received"] == UInt64(messages) && counter["waiting"] == 0 && counter["late"] == 1
                && counter["motion_messages"] == ingest["batches"]
                && counter["accepted"] == UInt64(inOrder + cranks)
                && history["rows_received"] == counter["published_rows"] && history.sum("rows_applied") > 0
                // A row is received before its commit: a health in between tells the one and not yet the other.
                && history["rows_received"] == history.sum("rows_applied", "rows_repeated", "rows_refused")
                && walker?.late == 1 && walker?.refused == UInt64(junk) && walker?.accepted == UInt64(inOrder)
        }
    }
}

extension ServiceHealth {
    fileprivate func sum(_ names: String...) -> UInt64 { names.reduce(0) { $0 + (self[$1] ?? 0) } }
}
