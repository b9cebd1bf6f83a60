/// One call of `publish`: its publications on their way into the queue, and the answers that it waits for.
///
/// `@unchecked Sendable` because every access happens under the lock of the producer's `OutgoingState`, but for the
/// continuation, which is taken out under that lock and resumed after it.
final class PublishRequest: @unchecked Sendable {
    private let publications: [MQTTPublication]
    private var nextIndex = 0
    private var unanswered: Int
    private var error: MQTTError?
    private(set) var isCancelled = false
    private var continuation: CheckedContinuation<Void, any Error>?

    init(_ publications: [MQTTPublication]) {
        self.publications = publications
        unanswered = publications.count
    }

    /// The next publication to take into the queue.
    var next: MQTTPublication? { nextIndex < publications.count ? publications[nextIndex] : nil }

    /// How many have not been taken into the queue.
    var remainingCount: Int { publications.count - nextIndex }

    func advance() { nextIndex += 1 }

    func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    /// Whether this was the last answer. The first error is kept.
    func completeOne(error: MQTTError?) -> Bool {
        if self.error == nil { self.error = error }
        unanswered -= 1
        return unanswered == 0
    }

    func dropRemaining() {
        isCancelled = true
        unanswered -= publications.count - nextIndex
        nextIndex = publications.count
    }

    /// The continuation with what to resume it with, once; for use after the lock.
    func takeCompletion(error other: (any Error)? = nil) -> Completion {
        defer { continuation = nil }
        return Completion(continuation: continuation, error: error ?? other)
    }

    /// A waiting call that can go on.
    struct Completion: Sendable {
        let continuation: CheckedContinuation<Void, any Error>?
        let error: (any Error)?

        func resume() {
            if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
        }
    }
}
