import Synchronization

/// Hands batches from the connection's thread to the application, one at a time, and takes back their settlements.
///
/// One lock guards the state. It is never held while a continuation is resumed or a batch is released.
final class ConsumerHandover: Sendable {
    /// The application's decision about a batch.
    enum Settlement {
        case acknowledged
        case abandoned
    }

    private enum Offer {
        case none
        /// Offered by the thread, not yet taken by the application.
        case ready(MQTTBatch)
        /// Taken by the application: the serial number of the batch, and its settlement; `nil` while it is open.
        case taken(UInt64, Settlement?)
    }

    private struct State {
        var offer = Offer.none
        var waiters: [(id: UInt64, continuation: CheckedContinuation<MQTTBatch?, any Error>)] = []
        var nextWaiterID: UInt64 = 0
        var isConnectionOfOfferGone = false
        var end: Result<Void, MQTTError>?
        var isStopRequested = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }
}

// The application's side.
extension ConsumerHandover {
    func next() async throws -> MQTTBatch? {
        let id = state.withLock { state in
            state.nextWaiterID += 1
            return state.nextWaiterID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id: id, $0) }
        } onCancel: {
            cancel(id: id)
        }
    }

    func settle(serial: UInt64, _ settlement: Settlement) -> Bool {
        let isCurrent = state.withLock { state in
            guard case .taken(serial, nil) = state.offer else { return false }
            state.offer = .taken(serial, settlement)
            return !state.isConnectionOfOfferGone
        }
        wakeUp.signal()
        return isCurrent
    }

    func requestStop() {
        state.withLock { $0.isStopRequested = true }
        wakeUp.signal()
    }

    private func wait(id: UInt64, _ continuation: CheckedContinuation<MQTTBatch?, any Error>) {
        // The task may have been cancelled before this point, and a cancelled task does not wait.
        if Task.isCancelled { return continuation.resume(returning: nil) }
        let answer: Result<MQTTBatch?, any Error>? = state.withLock { state in
            if case .ready(let batch) = state.offer {
                state.offer = .taken(batch.serial, nil)
                return .success(batch)
            }
            if let end = state.end { return end.map { nil }.mapError { $0 } }
            state.waiters.append((id, continuation))
            return nil
        }
        guard let answer else {
            if Task.isCancelled { cancel(id: id) }
            return
        }
        continuation.resume(with: answer)
    }

    private func cancel(id: UInt64) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: nil)
    }
}

// The thread's side.
extension ConsumerHandover {
    var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

    /// Gives a batch to a waiting reader, or keeps it ready.
    func offer(_ batch: MQTTBatch) {
        let waiter = state.withLock { state in
            state.isConnectionOfOfferGone = false
            guard !state.waiters.isEmpty else {
                state.offer = .ready(batch)
                return CheckedContinuation<MQTTBatch?, any Error>?.none
            }
            state.offer = .taken(batch.serial, nil)
            return state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: batch)
    }

    /// Takes the settlement of the batch; `nil` until the application has settled it.
    func settlement() -> Settlement? {
        state.withLock { state in
            guard case .taken(_, let settlement?) = state.offer else { return nil }
            state.offer = .none
            return settlement
        }
    }

    /// True if a batch is offered and not settled yet, whether or not the application has taken it.
    var settlementIsPending: Bool {
        state.withLock { state in
            switch state.offer {
            case .none, .taken(_, .some): false
            case .ready, .taken(_, nil): true
            }
        }
    }

    /// Takes back a batch that was not taken. Returns whether there was one.
    func withdrawUntaken() -> Bool {
        let batch = state.withLock { state -> MQTTBatch? in
            guard case .ready(let batch) = state.offer else { return nil }
            state.offer = .none
            return batch
        }
        return batch != nil
    }

    /// Takes back a batch that was not taken, and marks a taken one as lost. Returns true if the application now holds
    /// no batch.
    func withdraw() -> Bool {
        let (withdrawn, isFree) = state.withLock { state -> (MQTTBatch?, Bool) in
            switch state.offer {
            case .none: return (nil, true)
            case .taken(_, .some):
                state.offer = .none
                return (nil, true)
            case .taken(_, nil):
                state.isConnectionOfOfferGone = true
                return (nil, false)
            case .ready(let batch):
                state.offer = .none
                return (batch, true)
            }
        }
        // Released here and not under the lock, because a batch's deinit settles it.
        _ = consume withdrawn
        return isFree
    }

    /// Ends the sequence of batches. The first result is kept.
    func finish(_ end: Result<Void, MQTTError>) {
        let waiters = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(with: end.map { nil }.mapError { $0 }) }
    }
}
