import Synchronization

/// When history may say that it is `online`: at every connection of the producer, once both readers have subscribed,
/// so that whoever waits for the word can ask at once.
final class Presence: Sendable {
    private struct State {
        var countsSubscribed = false
        var requestsSubscribed = false
        var isUnannounced = false
    }

    private let state = Mutex(State())

    /// Counts are being read.
    func countsSubscribed() { state.withLock { $0.countsSubscribed = true } }

    /// Requests are being read.
    func requestsSubscribed() { state.withLock { $0.requestsSubscribed = true } }

    /// The producer has a new connection, or the word could not be published.
    func announceAgain() { state.withLock { $0.isUnannounced = true } }

    /// Whether it is to be said now; asked once, it counts as said.
    func takeAnnouncement() -> Bool {
        state.withLock { state in
            guard state.isUnannounced, state.countsSubscribed, state.requestsSubscribed else { return false }
            state.isUnannounced = false
            return true
        }
    }
}
