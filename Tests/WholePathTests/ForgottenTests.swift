import Foundation
import MQTT
import StrideClient
import TestBroker
import Testing
import Watched
import Wire

@Suite("What is forgotten while services die", .serialized, .timeLimit(.minutes(5)))
struct ForgottenTests {
    @Test("A forgotten device does not come back, though counter and history are killed and history loses its file")
    func stays() async throws {
        let services = try await ServiceProcesses()
        let bus = try StrideBus(endpoint: services.endpoint, root: services.root)
        let producer = services.producer()
        try await services.startAll()
        let watch: DeviceID = "watch-3"
        // One of the same partition, whose rows come after those of the watch.
        let other = try #require(
            (0..<10_000).lazy.map { "phone-\($0)" as DeviceID }.first {
                Partition(of: $0) == Partition(of: watch)
            })
        let topics = try TopicTree(root: services.root)
        func walk(_ device: DeviceID, _ steps: UInt64) async throws {
            let start = Int(Date().timeIntervalSince1970) / 3600 * 3600 - 7200
            let payload = #"{"kind":"interval","from":\#(start),"to":\#(start + 600),"steps":\#(steps)}"#
            try await producer.publish(
                MQTTPublication(topic: topics.bytes(.device(device, .count)), payload: Array(payload.utf8)))
        }
        try await walk(watch, 812)
        await wait(bus, watch) { $0 == 812 }
        try await producer.publish(
            MQTTPublication(
                topic: topics.bytes(.request(.devicesForget)), payload: Array(#"{"device":"watch-3"}"#.utf8)))
        await wait(bus, watch) { $0 == 0 }
        for name in [ServiceName.history, .counter] { try await services.end(name, by: SIGKILL) }
        for name in [ServiceName.history, .counter] { try services.start(name) }
        // The watch sends once more what was forgotten.
        try await walk(watch, 812)
        try await walk(other, 30)
        await wait(bus, other) { $0 == 30 }
        try await services.end(.history, by: SIGKILL)
        services.removeFile("history.sqlite")
        try services.start(.history)
        await wait(bus, other) { $0 == 30 }
        await wait(bus, watch) { $0 == 0 }
        await producer.stop()
        await bus.close()
        try await services.endAll()
    }

    /// Asks again and again for the steps of the last hours; the suite's time limit is the deadline.
    private func wait(_ bus: StrideBus, _ device: DeviceID, _ isRight: (UInt64) -> Bool) async {
        let pedometer = Pedometer(bus: bus, device: device)
        await until {
            let now = Date().timeIntervalSince1970
            let data = try? await pedometer.query(
                from: .instant(seconds: now - 20_000), to: .instant(seconds: now))
            return data.map { isRight($0.steps) } ?? false
        }
    }
}
