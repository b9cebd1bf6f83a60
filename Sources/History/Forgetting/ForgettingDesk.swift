import Synchronization
import Wire

/// Which devices are being forgotten in answer to a request, and whether the counter may have to be told of something.
final class ForgettingDesk: Sendable {
    private struct State {
        var inHand: [DeviceID: Int] = [:]
        /// What the process before this one has begun is looked for at the start.
        var isDue = true
    }

    private let state = Mutex(State())

    /// A request is about to forget something of a device.
    func begin(_ device: DeviceID) { state.withLock { $0.inHand[device, default: 0] += 1 } }

    /// It has ended, in order or not.
    func end(_ device: DeviceID) {
        state.withLock { state in
            let rest = (state.inHand[device] ?? 1) - 1
            state.inHand[device] = rest > 0 ? rest : nil
            state.isDue = true
        }
    }

    /// Whether some request is at it.
    func isInHand(_ device: DeviceID) -> Bool { state.withLock { $0.inHand[device] != nil } }

    /// There is more to do.
    func raise() { state.withLock { $0.isDue = true } }

    /// Whether there may be something to do since it was last asked.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isDue = false }
            return state.isDue
        }
    }
}
