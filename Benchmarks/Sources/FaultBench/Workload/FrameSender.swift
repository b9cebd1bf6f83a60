import MQTT
import Wire

/// Sends frames at a pace over one connection, and waits for the broker's word on each.
struct FrameSender: Sendable {
    private let producer: MQTTProducer
    private let topics: TopicTree

    init(endpoint: MQTTEndpoint, topics: TopicTree, name: String) {
        producer = MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name))
        self.topics = topics
    }

    /// How often frames are sent, in milliseconds.
    private static let roundMilliseconds = 50

    /// Sends frames so that they take a time on the wall, and returns when the broker has taken them all.
    func send(_ items: [Workload.Item], wallSeconds: Double) async throws {
        guard let first = items.first?.due, let last = items.last?.due, last > first else { return }
        let (clock, begin) = (ContinuousClock(), ContinuousClock.now)
        let speed = Double(last - first) / 1e6 / wallSeconds
        var next = 0
        while next < items.count {
            let elapsed = Double(begin.duration(to: .now) / .microseconds(1))
            var round: [MQTTPublication] = []
            while next < items.count, Double(items[next].due - first) / speed <= elapsed {
                round.append(
                    MQTTPublication(
                        topic: topics.bytes(.device(items[next].device, items[next].channel)),
                        payload: items[next].payload))
                next += 1
            }
            if !round.isEmpty { try await producer.publish(round) }
            try await clock.sleep(for: .milliseconds(Self.roundMilliseconds))
        }
    }

    /// Sends one frame of each of very many devices, as fast as the broker takes them.
    func sendFlood(of devices: Int, payload: [UInt8]) async throws {
        let round = 500
        for first in stride(from: 0, to: devices, by: round) {
            let messages = try (first..<min(first + round, devices)).map { number in
                MQTTPublication(
                    topic: topics.bytes(.device(try DeviceID("flood-\(number)"), .imu)), payload: payload)
            }
            try await producer.publish(messages)
        }
    }

    /// Sends what no device should, as fast as told, for a time on the wall.
    func sendGarbage(to device: DeviceID, perSecond rate: Int, wallSeconds: Double) async throws -> Int {
        let junk: [[UInt8]] = [
            Array("{\"boot\":1,\"seq\":".utf8), Array("{\"acc\":[[1e999,0,0]],\"rate_hz\":50}".utf8), [],
            [0xff, 0x00, 0xfe], Array("null".utf8), Array(repeating: 0x5b, count: 4_000),
        ]
        let begin = ContinuousClock.now
        var sent = 0
        while begin.duration(to: .now) < .seconds(wallSeconds) {
            let due = Int(Double(rate) * (begin.duration(to: .now) / .seconds(1)))
            let messages = (sent..<max(sent, due)).map { number in
                MQTTPublication(topic: topics.bytes(.device(device, .imu)), payload: junk[number % junk.count])
            }
            try await producer.publish(messages)
            sent = max(sent, due)
            try await ContinuousClock().sleep(for: .milliseconds(Self.roundMilliseconds))
        }
        return sent
    }

    func close() async { await producer.stop() }
}
