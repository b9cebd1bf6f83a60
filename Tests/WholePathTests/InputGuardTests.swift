import Foundation
import MQTT
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Watched
import Wire

@Suite("Input that ends a service", .timeLimit(.minutes(3)))
struct InputGuardTests {
    /// What is heard on the bus.
    private struct Heard: Sendable {
        var online: Set<ServiceName> = []
        var setAside: [ServiceName: UInt64] = [:]
        var totals: [DeviceID: String] = [:]
        var replies: [String] = []
    }

    /// A broker with three services, of which one dies of marked input and is started again.
    private final class Bus: Sendable {
        let broker: EmbeddedBroker
        let topics: TopicTree
        let heard = Watched(Heard())
        private let folder = TemporaryFolder()
        private var data: String { folder.path }
        private let producer: MQTTProducer
        private let consumer: MQTTConsumer
        private let others: [Program]
        private let marked: Task<Int, any Error>
        private let runningMarked = Watched<Program?>(nil)
        let deaths = Watched(0)
        private let isEnding = Watched(false)

        init(marked name: ServiceName, mark: String) async throws {
            broker = try await EmbeddedBroker.start()
            topics = try TopicTree()
            let endpoint = try MQTTEndpoint(broker.url)
            producer = MQTTProducer(
                configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-out"))
            consumer = MQTTConsumer(
                configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-in"),
                subscriptions: [
                    "stride/+/total", "stride/service/+/health", "stride/service/+/status", "stride/reply/#",
                ]
                .map { MQTTSubscription($0) })
            let (url, folder) = (broker.url, self.folder.path)
            func program(_ name: ServiceName, _ mark: String) throws -> Program {
                try Program([name.rawValue, url, "stride", folder, mark], named: "DyingService")
            }
            let services: [ServiceName] = [.ingest, .counter, .history]
            others = try services.filter { $0 != name }.map { try program($0, "nothing is marked") }
            let (current, deaths, isEnding) = (runningMarked, deaths, isEnding)
            marked = Task {
                while !Task.isCancelled {
                    let program = try Program([name.rawValue, url, "stride", folder, mark], named: "DyingService")
                    current.change { $0 = program }
                    switch try await program.exitCode() {
                    case SIGKILL: deaths.change { $0 += 1 }
                    case 0 where !isEnding.now: continue
                    default: return deaths.now
                    }
                }
                return deaths.now
            }
            let (heard, topics, reader) = (heard, topics, consumer)
            Task {
                for try await batch in reader.batches {
                    for message in batch {
                        let payload = message.payload
                        heard.change { heard in
                            switch try? topics.parse(message.topic) {
                            case .serviceStatus(let name):
                                if payload.elementsEqual("online".utf8) { heard.online.insert(name) }
                            case .serviceHealth(let name):
                                heard.setAside[name] = (try? ServiceHealth(json: payload))?["set_aside"]
                            case .device(let device, .total):
                                heard.totals[device] = String(decoding: payload, as: UTF8.self)
                            default: heard.replies.append(String(decoding: payload, as: UTF8.self))
                            }
                        }
                    }
                    batch.acknowledge()
                }
            }
            await heard.wait { $0.online == [.ingest, .counter, .history] }
        }

        func publish(_ topic: String, _ payload: String) async throws {
            try await producer.publish(MQTTPublication(topic: topic, payload: Array(payload.utf8)))
        }

        /// Stops the marked service in order, which then is started again.
        func restart() { runningMarked.now?.terminate() }

        /// Ends everything, and says what was set aside.
        func end() async throws -> [String] {
            isEnding.change { $0 = true }
            runningMarked.now?.terminate()
            _ = try await marked.value
            for program in others {
                program.terminate()
                _ = try await program.exitCode()
            }
            consumer.stop()
            await producer.stop()
            await broker.stop()
            let files = (try? FileManager.default.contentsOfDirectory(atPath: data + "/set-aside")) ?? []
            let texts = files.compactMap { FileManager.default.contents(atPath: data + "/set-aside/" + $0) }
            return texts.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(
        "A service that died of a message twice sets it aside, and counts the others",
        arguments: [ServiceName.ingest, .counter, .history])
    func setAside(name: ServiceName) async throws {
        let poison: DeviceID = "poison"
        // In the same batches on every hop.
        let neighbours = (0..<2_000).map { DeviceID("neighbour-\($0)") }
            .filter { Partition(of: $0) == Partition(of: poison) }.prefix(2)
        // History dies of the row, and not of the health that comes beside it.
        let bus = try await Bus(marked: name, mark: name == .history ? "of poison" : "poison")
        // Its steps lie within one minute.
        let minute = Int(Date().timeIntervalSince1970) / 60 * 60
        let word = #"{"kind":"day","t":\#(minute - 20),"steps":100}"#
        for device in [neighbours.first, poison, neighbours.last].compactMap(\.self) {
            try await bus.publish("stride/\(device)/count", word)
        }
        await bus.heard.wait { heard in
            neighbours.allSatisfy { heard.totals[$0]?.contains(#""steps":100,"#) == true }
                && heard.setAside[name] ?? 0 >= 1
        }
        #expect(bus.deaths.now == 2)
        let kept = try await bus.end()
        #expect(kept.count == 1 && kept[0].contains("poison"))
        #expect(bus.heard.now.totals[poison] == nil)
    }

    @Test("Claims of words that history died of twice stay as they are, and those of others are made")
    func claims() async throws {
        let (poison, neighbour): (DeviceID, DeviceID) = ("poison", "neighbour")
        let bus = try await Bus(marked: .history, mark: "claims of poison")
        let end = Int(Date().timeIntervalSince1970) - 600
        for device in [poison, neighbour] {
            try await bus.publish(
                "stride/\(device)/count", #"{"kind":"interval","steps":100,"from":\#(end - 300),"to":\#(end)}"#)
        }
        await bus.heard.wait { heard in
            heard.totals[neighbour]?.contains(#""steps":100,"#) == true && heard.setAside[.history] ?? 0 >= 1
        }
        #expect(bus.deaths.now == 2)
        let kept = try await bus.end()
        #expect(kept.count == 1 && kept[0].contains("kind=claims of=poison"))
    }

    @Test("A device whose stored state the counter died of twice begins anew, and the others go on")
    func state() async throws {
        let (poison, neighbour): (DeviceID, DeviceID) = ("poison", "neighbour")
        let bus = try await Bus(marked: .counter, mark: "the stored state of poison")
        for steps in [100, 150] {
            for device in [poison, neighbour] {
                try await bus.publish("stride/\(device)/count", #"{"kind":"boot","boot":"a","steps":\#(steps)}"#)
            }
        }
        await bus.heard.wait { heard in
            [poison, neighbour].allSatisfy { heard.totals[$0]?.contains(#""steps":50,"#) == true }
        }
        bus.restart()
        await bus.heard.wait { $0.setAside[.counter] ?? 0 >= 1 }
        for (device, steps) in [(neighbour, 170), (poison, 170), (poison, 190)] {
            try await bus.publish("stride/\(device)/count", #"{"kind":"boot","boot":"a","steps":\#(steps)}"#)
        }
        await bus.heard.wait { heard in
            heard.totals[neighbour]?.contains(#""steps":70,"#) == true
                && heard.totals[poison]?.contains(#""steps":70,"#) == true
        }
        #expect(bus.deaths.now == 2)
        let kept = try await bus.end()
        #expect(kept.count == 1 && kept[0].contains("kind=state of=poison"))
    }

    @Test("A request that history died of twice is answered with an error, and the next with its data")
    func request() async throws {
        let bus = try await Bus(marked: .history, mark: "poison")
        for number in 1...3 {
            try await bus.publish(
                "stride/request/history/days",
                #"{"device":"poison","from":"2026-01-01","to":"2026-01-02","reply_to":"stride/reply/a","transaction":"\#(number)"}"#
            )
            if number < 3 {
                await bus.deaths.wait { $0 == number }
                bus.heard.change { $0.online.remove(.history) }
                await bus.heard.wait { $0.online.contains(.history) }
            }
        }
        await bus.heard.wait { heard in heard.replies.contains { $0.contains("not_available") } }
        try await bus.publish(
            "stride/request/devices", #"{"reply_to":"stride/reply/b","transaction":"4"}"#)
        await bus.heard.wait { heard in heard.replies.contains { $0.contains(#""status":"ok""#) } }
        #expect(try await bus.end().count == 1)
        #expect(bus.deaths.now == 2)
    }
}
