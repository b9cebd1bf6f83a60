import MQTT
import Synchronization
import Wire

extension StrideBus {
    /// Answers and notices on a path of this client's own, which is subscribed to from the beginning.
    func replies(on path: String) -> AsyncStream<[UInt8]> {
        listeners.stream(of: [topics.text(.reply(path))]) { _ in }
    }

    /// Messages on channels of a device from now on, in the order in which they come.
    func messages(of device: DeviceID, on channels: DeviceChannel...) -> AsyncStream<[UInt8]> {
        let texts = channels.map { topics.text(.device(device, $0)) }
        let stream = listeners.stream(of: texts) { [consumer] text in
            try? consumer.unsubscribe([text])
        }
        // Each who listens subscribes, so that each is told what is retained. The topics are written from checked
        // values, so they are filters.
        try? consumer.subscribe(texts.map { MQTTSubscription($0) })
        return stream
    }

    /// A reply path of this client's own for one lease.
    func newLivePath() -> String {
        "\(replyPath)/live/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Begins or renews a lease whose notices come to a path.
    func startLive(_ request: HistoryRequest, path: String) async throws -> LiveLeaseData {
        if let device = request.device { leases.withLock { $0[path] = device } }
        return try await ask(request, path: path, for: LiveLeaseData.self)
    }

    /// Ends the lease whose notices come to a path.
    func stopLive(device: DeviceID, path: String) async throws {
        _ = try await ask(HistoryRequest(verb: .liveStop, device: device), path: path, for: LiveStopData.self)
        leases.withLock { _ = $0.removeValue(forKey: path) }
    }

    /// Ends the leases that nobody has ended, without waiting for answers. History would find out by itself that nobody
    /// hears their notices, but not before a minute.
    func endLeases() {
        for (path, device) in leases.withLock({ $0 }) {
            let request = HistoryRequest(verb: .liveStop, device: device)
            producer.offer(publication(of: request, path: path, transaction: "end"))
        }
    }
}
