import Synchronization

/// Whether some notice may be due: raised by commits, taken by the one that publishes. It spares the store a question
/// five times a second.
final class NoticeSignal: Sendable {
    private let isRaised = Atomic<Bool>(false)

    func raise() { isRaised.store(true, ordering: .releasing) }

    /// Whether it was raised since it was last asked.
    func take() -> Bool { isRaised.exchange(false, ordering: .acquiringAndReleasing) }
}
