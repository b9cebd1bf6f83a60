import Foundation
import MQTT
import Synchronization
import Wire

/// How long it takes from a frame to what is told of it: live by the counter, and as a total by history. Only a few
/// devices are watched, so that the watching costs nothing.
final class SoakLatency: Sendable {
    /// The latencies that have come since they were last taken, in milliseconds.
    struct Seen: Sendable {
        var live: [Double] = []
        var totals: [Double] = []
    }

    private struct State {
        var sentSeconds: [[Double]]
        var seen = Seen()
    }

    private let begins: [DeviceID: (index: Int, seconds: Double)]
    private let state: Mutex<State>

    /// The devices that are watched.
    static let maximumDevices = 40

    init(crowd: SoakCrowd) {
        let watched = crowd.devices.prefix(Self.maximumDevices).enumerated()
        begins = Dictionary(
            uniqueKeysWithValues: watched.map { ($1, (index: $0, seconds: Double(crowd.begin($0)) / 1e6)) })
        state = Mutex(State(sentSeconds: Array(repeating: [], count: begins.count)))
    }

    /// What to subscribe to.
    func subscriptions(_ topics: TopicTree) -> [MQTTSubscription] {
        begins.keys.flatMap { device in
            [DeviceChannel.cadence, .steps, .total].map { MQTTSubscription(topics.text(.device(device, $0))) }
        }
    }

    /// A frame is being sent.
    func sent(_ device: Int, sequence: Int) {
        guard device < Self.maximumDevices else { return }
        state.withLock { state in
            guard state.sentSeconds.indices.contains(device) else { return }
            state.sentSeconds[device].append(Self.now)
        }
    }

    /// Something was told.
    func take(_ topic: Topic, _ payload: UnsafeRawBufferPointer) {
        guard case .device(let device, let channel) = topic, let begin = begins[device] else { return }
        switch channel {
        case .cadence: note(begin, at: (try? CadenceReport(json: payload))?.t, \.live)
        case .steps: note(begin, at: (try? StepsReport(json: payload))?.t, \.live)
        case .total:
            guard let covered = (try? DeviceTotals(json: payload))?.coveredSeconds else { return }
            note(begin, at: begin.seconds + covered, \.totals)
        default: return
        }
    }

    /// What has been seen since the last call.
    func takeSeen() -> Seen {
        state.withLock { state in
            defer { state.seen = Seen() }
            return state.seen
        }
    }

    /// The frame that holds an instant of the device's time is what was waited for.
    private func note(
        _ begin: (index: Int, seconds: Double), at instant: Double?, _ list: WritableKeyPath<Seen, [Double]>
    ) {
        guard let instant else { return }
        let now = Self.now
        let frame = Int((instant - begin.seconds - 0.001).rounded(.down))
        state.withLock { state in
            let sent = state.sentSeconds[begin.index]
            guard sent.indices.contains(frame) else { return }
            state.seen[keyPath: list].append((now - sent[frame]) * 1000)
        }
    }

    private static var now: Double { Double(SoakSender.nowMicroseconds) / 1e6 }
}
