import MQTT
import Wire

extension StrideBus {
    /// Messages on a topic from now on.
    func messages(on topic: Topic) -> AsyncStream<[UInt8]> {
        let text = topics.text(topic)
        if case .reply = topic {
            // These are subscribed to from the beginning, so that no answer is missed.
            return listeners.stream(of: text, onFirst: {}, onLast: {})
        }
        return listeners.stream(of: text) {
            // The topic is written from a checked value, so the filter is one.
            try? consumer.subscribe([MQTTSubscription(text)])
        } onLast: { [consumer] in
            try? consumer.unsubscribe([text])
        }
    }

    /// A reply path of this client's own for one lease.
    func newLivePath() -> String {
        "\(replyPath)/live/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Begins or renews a lease whose notices come to a path.
    func startLive(_ request: HistoryRequest, path: String) async throws -> LiveLeaseData {
        try await ask(request, path: path, for: LiveLeaseData.self)
    }

    /// Ends the lease whose notices come to a path.
    func stopLive(device: DeviceID, path: String) async throws {
        _ = try await ask(HistoryRequest(verb: .liveStop, device: device), path: path, for: LiveStopData.self)
    }
}
