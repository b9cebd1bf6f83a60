import Synchronization

/// The producer's queue, shared by its callers and its thread. The lock is never held while a continuation is resumed.
final class OutgoingState: Sendable {
    private struct State {
        var queue: OutgoingQueue
        var isConnected = false
        /// The deadline for sending the queue, in seconds of the monotonic clock; set when a stop is requested.
        var stopDeadlineSeconds: Double?
        var end: MQTTError?
        /// The publications left unanswered: at the end, or at the end of a connection after a stop was requested.
        var abandonedCount = 0
    }

    private let state: Mutex<State>
    private let wakeUp: WakeUp

    init(limits: MQTTProducerLimits, wakeUp: WakeUp) {
        state = Mutex(State(queue: OutgoingQueue(limits: limits)))
        self.wakeUp = wakeUp
    }

    var abandonedCount: Int { state.withLock { $0.abandonedCount } }
    var queuedMessages: Int { state.withLock { $0.queue.queuedMessages } }
}

// The callers' side.
extension OutgoingState {
    func publish(_ publications: [MQTTPublication]) async throws {
        guard !publications.isEmpty else { return }
        let request = PublishRequest(publications)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start(request, $0) }
        } onCancel: {
            cancel(request)
        }
    }

    func offer(_ publication: MQTTPublication) -> Bool { offer([publication]) == 1 }

    /// - Returns: How many were taken, from the first one on.
    func offer(_ publications: [MQTTPublication]) -> Int {
        let taken = state.withLock { state in
            let isConnected = state.isConnected && state.stopDeadlineSeconds == nil && state.end == nil
            var taken = 0
            while taken < publications.count, state.queue.offer(publications[taken], isConnected: isConnected) {
                taken += 1
            }
            return taken
        }
        if taken > 0 { wakeUp.signal() }
        return taken
    }

    func requestStop(deadlineSeconds: Double) {
        state.withLock { state in
            if state.stopDeadlineSeconds == nil { state.stopDeadlineSeconds = deadlineSeconds }
        }
        wakeUp.signal()
    }

    private func start(_ request: PublishRequest, _ continuation: CheckedContinuation<Void, any Error>) {
        let refusal: (any Error)? = state.withLock { state in
            if request.isCancelled { return CancellationError() }
            if let end = state.end { return end }
            if state.stopDeadlineSeconds != nil { return MQTTError(.stopped, "the producer has been stopped") }
            request.wait(continuation)
            state.queue.add(request)
            return nil
        }
        if let refusal { continuation.resume(throwing: refusal) } else { wakeUp.signal() }
    }

    private func cancel(_ request: PublishRequest) {
        let completion = state.withLock { state in
            state.queue.cancel(request)
            return request.takeCompletion(error: CancellationError())
        }
        completion.call?.resume(with: completion.result)
    }
}

// The thread's side.
extension OutgoingState {
    /// True if a stop was requested and the queue is empty or the deadline has passed.
    func isOver(nowSeconds: Double) -> Bool {
        state.withLock { state in
            guard let deadline = state.stopDeadlineSeconds else { return false }
            return state.queue.isEmpty || nowSeconds >= deadline
        }
    }

    /// True if nothing waits to be sent or answered.
    var hasSentAll: Bool { state.withLock { $0.queue.isEmpty } }

    func connected() { state.withLock { $0.isConnected = true } }

    /// - Parameter isClosedByBroker: True if the broker ended it without a word.
    func connectionLost(isClosedByBroker: Bool) {
        let refused = state.withLock { state in
            state.isConnected = false
            let before = state.queue.unansweredCount
            let refused = state.queue.connectionLost(isClosedByBroker: isClosedByBroker)
            // Offers are dropped with the connection. After a stop request they count as abandoned.
            if state.stopDeadlineSeconds != nil { state.abandonedCount += before - state.queue.unansweredCount }
            return refused?.takeCompletion()
        }
        if let refused { refused.call?.resume(with: refused.result) }
    }

    /// Takes up to `maximumCount` publications to send now.
    func takeNext(maximumCount: Int) -> [(number: OutgoingQueue.Number, publication: MQTTPublication)] {
        state.withLock { state in
            var taken: [(number: OutgoingQueue.Number, publication: MQTTPublication)] = []
            while taken.count < maximumCount, let next = state.queue.takeNext() { taken.append(next) }
            return taken
        }
    }

    /// Completes entries and resumes the calls that waited for them.
    func complete(_ answers: [(number: OutgoingQueue.Number, error: MQTTError?)]) {
        let completions = state.withLock { state in
            answers.compactMap { state.queue.complete($0.number, error: $0.error)?.takeCompletion() }
        }
        for completion in completions { completion.call?.resume(with: completion.result) }
    }

    /// Ends the queue: fails all waiting calls and every later one.
    func finish(_ error: MQTTError) {
        let completions = state.withLock { state in
            state.end = error
            state.isConnected = false
            state.abandonedCount += state.queue.unansweredCount
            return state.queue.failAll().map { $0.takeCompletion(error: error) }
        }
        for completion in completions { completion.call?.resume(with: completion.result) }
    }
}
