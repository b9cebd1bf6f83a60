import Foundation
import MQTT
import Synchronization
import Wire

/// Sends a crowd's frames, as fast as the broker takes them or each when it is due.
struct SoakSender: Sendable {
    let crowd: SoakCrowd
    let producer: MQTTProducer
    let topics: TopicTree
    /// Where it is noted when frames of watched devices were sent.
    let latency: SoakLatency

    /// How often due frames are sent, in milliseconds.
    private static let roundMilliseconds = 10
    /// Frames that are given to the broker at a time.
    private static let roundFrames = 200

    /// Sends frames of all devices in turn, as fast as the broker takes them, until there are so many.
    func sendAtOnce(frames: Int) async throws {
        var next = 0
        while next < frames {
            let round = (next..<min(next + Self.roundFrames, frames)).map { publication($0) }
            try await producer.publish(round)
            next += round.count
        }
    }

    /// Sends every frame when it is due, for a time; answers how many there were.
    func sendWhenDue(seconds: Double) async throws -> Int {
        let end = crowd.start + Int64(seconds * 1e6)
        var next = 0
        while true {
            let now = min(Self.nowMicroseconds, end)
            var round: [MQTTPublication] = []
            while due(next) <= now, round.count < Self.roundFrames {
                round.append(publication(next))
                next += 1
            }
            if !round.isEmpty { try await producer.publish(round) }
            if due(next) > end { return next }
            if round.count < Self.roundFrames {
                try await ContinuousClock().sleep(for: .milliseconds(Self.roundMilliseconds))
            }
        }
    }

    static var nowMicroseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1e6) }

    private func due(_ number: Int) -> Int64 {
        crowd.due(number % crowd.devices.count, sequence: number / crowd.devices.count)
    }

    private func publication(_ number: Int) -> MQTTPublication {
        let (device, sequence) = (number % crowd.devices.count, number / crowd.devices.count)
        latency.sent(device, sequence: sequence)
        return MQTTPublication(
            topic: topics.bytes(.device(crowd.devices[device], .imu)),
            payload: crowd.payload(device, sequence: sequence))
    }
}
