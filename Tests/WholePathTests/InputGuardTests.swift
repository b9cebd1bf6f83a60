import Foundation
import MQTT
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Watched
import Wire

@Suite("Input that ends a service", .timeLimit(.minutes(5)))
struct InputGuardTests {
    /// A broker with three services, of which one dies of marked input and is started again.
    private final class Bus {
        let listener: BusListener
        let deaths = Watched(0)
        private let broker: EmbeddedBroker
        private let folder = TemporaryFolder()
        private let producer: MQTTProducer
        private let others: [Program]
        private let marked: Task<Void, any Error>
        private let runningMarked = Watched<Program?>(nil)
        private let isEnding = Watched(false)

        init(marked name: ServiceName, mark: String) async throws {
            broker = try await EmbeddedBroker.start()
            let (url, folder) = (broker.url, self.folder.path)
            let endpoint = try MQTTEndpoint(url)
            producer = MQTTProducer(
                configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-out"))
            listener = try await BusListener(
                MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-in"),
                filters: ["+/total", "service/+/health", "service/+/status", "reply/#"].map { "stride/\($0)" })
            @Sendable func program(_ name: ServiceName, _ mark: String) throws -> Program {
                try Program([name.rawValue, url, "stride", folder, mark], named: "DyingService")
            }
            others = try ServiceName.allCases.filter { $0 != name }.map { try program($0, "nothing is marked") }
            marked = Task { [runningMarked, deaths, isEnding] in
                while true {
                    let program = try program(name, mark)
                    runningMarked.change { $0 = program }
                    switch try await program.exitCode() {
                    case SIGKILL: deaths.change { $0 += 1 }
                    case 0 where !isEnding.now: continue
                    default: return
                    }
                }
            }
            try await listener.waitForServices()
        }

        func publish(_ topic: String, _ payload: String) async throws {
            try await producer.publish(MQTTPublication("stride/\(topic)", payload))
        }

        /// Waits until a device's total has so many steps.
        func wait(for device: DeviceID, toHave steps: Int) async throws {
            try await listener.wait(for: "stride/\(device)/total") { $0.text.contains("\"steps\":\(steps),") }
        }

        /// Waits until a service says that it has set something aside.
        func waitForSetAside(by name: ServiceName) async throws {
            try await listener.wait(for: "stride/service/\(name.rawValue)/health") {
                (try? ServiceHealth(json: $0.payload))?["set_aside"] ?? 0 >= 1
            }
        }

        /// Stops the marked service in order, which then is started again.
        func restart() { runningMarked.now?.terminate() }

        /// Ends everything, and says what was set aside.
        func end() async throws -> [String] {
            isEnding.change { $0 = true }
            runningMarked.now?.terminate()
            try await marked.value
            for program in others {
                program.terminate()
                _ = try await program.exitCode()
            }
            await producer.stop()
            await broker.stop()
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/set-aside")) ?? []
            return files.compactMap { FileManager.default.contents(atPath: folder.path + "/set-aside/" + $0) }
                .map { String(decoding: $0, as: UTF8.self) }
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
            try await bus.publish("\(device)/count", word)
        }
        for neighbour in neighbours { try await bus.wait(for: neighbour, toHave: 100) }
        try await bus.waitForSetAside(by: name)
        #expect(bus.deaths.now == 2)
        let kept = try await bus.end()
        #expect(kept.count == 1 && kept[0].contains("poison"))
        #expect(!bus.listener.heard.contains { $0.topic == "stride/poison/total" })
    }

    @Test("Claims of words that history died of twice stay as they are, and those of others are made")
    func claims() async throws {
        let (poison, neighbour): (DeviceID, DeviceID) = ("poison", "neighbour")
        let bus = try await Bus(marked: .history, mark: "claims of poison")
        // Within one day of UTC, of which history dies twice.
        let end = Int(Date().timeIntervalSince1970) / 86_400 * 86_400 - 43_200
        for device in [poison, neighbour] {
            try await bus.publish(
                "\(device)/count", #"{"kind":"interval","steps":100,"from":\#(end - 300),"to":\#(end)}"#)
        }
        try await bus.wait(for: neighbour, toHave: 100)
        try await bus.waitForSetAside(by: .history)
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
                try await bus.publish("\(device)/count", #"{"kind":"boot","boot":"a","steps":\#(steps)}"#)
            }
        }
        for device in [poison, neighbour] { try await bus.wait(for: device, toHave: 50) }
        bus.restart()
        try await bus.waitForSetAside(by: .counter)
        for (device, steps) in [(neighbour, 170), (poison, 170), (poison, 190)] {
            try await bus.publish("\(device)/count", #"{"kind":"boot","boot":"a","steps":\#(steps)}"#)
        }
        for device in [poison, neighbour] { try await bus.wait(for: device, toHave: 70) }
        #expect(bus.deaths.now == 2)
        let kept = try await bus.end()
        #expect(kept.count == 1 && kept[0].contains("kind=state of=poison"))
    }

    @Test("A request that history died of twice is answered with an error, and the next with its data")
    func request() async throws {
        let bus = try await Bus(marked: .history, mark: "poison")
        for number in 1...3 {
            try await bus.publish(
                "request/history/days",
                #"{"device":"poison","from":"2026-01-01","to":"2026-01-02","reply_to":"stride/reply/a","transaction":"\#(number)"}"#
            )
            // It is started again after each of two deaths, and says `online` once or twice then.
            try await bus.listener.wait { heard in
                let status = heard.filter { $0.topic == "stride/service/history/status" }.map(\.text)
                return status.count { $0 == "offline" } >= min(number, 2) && status.last == "online"
            }
        }
        try await bus.listener.wait(for: "stride/reply/a") { $0.text.contains("not_available") }
        try await bus.publish(
            "request/devices", #"{"reply_to":"stride/reply/b","transaction":"4"}"#)
        try await bus.listener.wait(for: "stride/reply/b") { $0.text.contains(#""status":"ok""#) }
        #expect(try await bus.end().count == 1)
        #expect(bus.deaths.now == 2)
    }
}
