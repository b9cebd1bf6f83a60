import DequeModule

/// The queue of a producer's messages. A value type that only decides; its owner sends messages and resumes callers.
///
/// Entries leave at the front, in order. Entries before `nextToSend` have been passed to the library. When a connection
/// breaks, `nextToSend` goes back to the front, and all unanswered entries are sent again, in order, on the next
/// connection.
///
/// A broker may close each connection over which it gets one certain publication, as MQTT 3.1.1 has no other answer. After
/// the second closure without an answer publications are sent one at a time, and the one at which the broker closes again
/// and again is refused, so that those behind it come through.
struct OutgoingQueue {
    /// A position in the queue, counted from the producer's first entry.
    typealias Number = UInt64

    private struct Entry {
        /// `nil` once the entry is answered; it then waits for the entries before it.
        var publication: MQTTPublication?
        /// The request that it belongs to; `nil` for an offer.
        var request: PublishRequest?
        var byteCount: Int
    }

    private let limits: MQTTProducerLimits
    private var entries = Deque<Entry>()
    private var front: Number = 0
    private var nextToSend: Number = 0
    private var waiting = Deque<PublishRequest>()
    private(set) var queuedBytes = 0
    private(set) var queuedMessages = 0
    /// The publication that was first unanswered when the broker last closed a connection, and the closures in a row at it.
    private var closedAt: (number: Number, closures: Int) = (0, 0)
    /// Publications below this number are sent one at a time.
    private var oneAtATimeBelow: Number = 0

    /// The closures in a row after which publications are sent one at a time: one may be any accident.
    private static let suspiciousClosures = 2
    /// The closures in a row at a publication that was sent alone after which it is refused. With the waits of
    /// ``MQTTBackoff`` they take some four seconds: a broker that restarts does not take connections in between.
    static let maximumClosures = 6

    init(limits: MQTTProducerLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { queuedMessages == 0 && waiting.isEmpty }
    /// The number of publications in the queue, and of those that still wait for room in it.
    var unansweredCount: Int {
        waiting.reduce(queuedMessages) { $0 + $1.remainingCount }
    }
}

// Coming in.
extension OutgoingQueue {
    /// Appends a request to the waiting requests, and fills the queue while it has room.
    mutating func add(_ request: PublishRequest) {
        waiting.append(request)
        admit()
    }

    /// Queues a publication that must not wait: not without a connection, where it is full, or with requests waiting.
    mutating func offer(_ publication: MQTTPublication, isConnected: Bool) -> Bool {
        let byteCount = publication.byteCount
        guard isConnected, waiting.isEmpty, hasRoom(for: byteCount) else { return false }
        append(Entry(publication: publication, request: nil, byteCount: byteCount))
        return true
    }

    /// Drops the publications of a cancelled request that are not in the queue yet; queued ones are still sent.
    mutating func cancel(_ request: PublishRequest) {
        request.dropRemaining()
        waiting.removeAll { $0 === request }
        admit()
    }

    private mutating func admit() {
        while let request = waiting.first {
            while let publication = request.next {
                let byteCount = publication.byteCount
                guard hasRoom(for: byteCount) else { return }
                append(Entry(publication: publication, request: request, byteCount: byteCount))
                request.advance()
            }
            waiting.removeFirst()
        }
    }

    private func hasRoom(for byteCount: Int) -> Bool {
        if queuedMessages == 0 { return true }
        return queuedMessages < limits.maximumQueuedMessages && queuedBytes + byteCount <= limits.maximumQueuedBytes
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        queuedMessages += 1
        queuedBytes += entry.byteCount
    }
}

// Going out.
extension OutgoingQueue {
    /// The next publication to send; `nil` if there is none or the in-flight window is full. The window spans
    /// positions, not unanswered entries, so that a message id is not reused before its PUBACK.
    mutating func takeNext() -> (number: Number, publication: MQTTPublication)? {
        while nextToSend < front + UInt64(entries.count), nextToSend - front < maximumInFlight {
            let number = nextToSend
            nextToSend += 1
            let index = Int(number - front)
            guard let publication = entries[index].publication else { continue }
            return (number, publication)
        }
        return nil
    }

    private var maximumInFlight: UInt64 { nextToSend < oneAtATimeBelow ? 1 : UInt64(limits.maximumInFlight) }

    /// Completes an entry: written (QoS 0), answered by the broker (QoS 1), or refused with an error.
    ///
    /// - Returns: The request that this entry completes, if any.
    mutating func complete(_ number: Number, error: MQTTError?) -> PublishRequest? {
        guard number >= front, number - front < UInt64(entries.count) else { return nil }
        let index = Int(number - front)
        guard entries[index].publication != nil else { return nil }
        let request = clear(index, error: error)
        removeAnswered()
        admit()
        return request
    }

    /// Handles a broken connection: unanswered entries will be sent again, and offers are dropped unless the broker is to
    /// keep them.
    ///
    /// - Parameter isClosedByBroker: True if the broker ended it without a word.
    /// - Returns: The request that ends with the refusal of the publication at which the broker always does, if any.
    mutating func connectionLost(isClosedByBroker: Bool = false) -> PublishRequest? {
        let refused = isClosedByBroker ? noteClosure() : nil
        nextToSend = front
        for index in entries.indices where entries[index].request == nil {
            // A live value is soon replaced; one that the broker keeps may not be for long.
            guard let offer = entries[index].publication, !offer.retain || offer.qos == .atMostOnce else { continue }
            _ = clear(index, error: nil)
        }
        removeAnswered()
        admit()
        return refused
    }

    /// Notes that the broker closed a connection; refuses the publication at which it always does.
    ///
    /// - Returns: The request that ends with the refusal, if any.
    private mutating func noteClosure() -> PublishRequest? {
        guard nextToSend > front, let publication = entries.first?.publication else { return nil }
        closedAt = (front, closedAt.number == front ? closedAt.closures + 1 : 1)
        if closedAt.closures >= Self.suspiciousClosures { oneAtATimeBelow = max(oneAtATimeBelow, nextToSend) }
        guard closedAt.closures >= Self.maximumClosures, nextToSend == front + 1 else { return nil }
        return clear(0, error: .closesConnection(publication))
    }

    /// Empties the queue and returns the requests that will never complete.
    mutating func failAll() -> [PublishRequest] {
        var requests: [PublishRequest] = []
        let unanswered = entries.filter { $0.publication != nil }.compactMap(\.request)
        for request in unanswered + waiting where requests.last !== request { requests.append(request) }
        waiting = Deque()
        entries = Deque()
        front = nextToSend
        queuedMessages = 0
        queuedBytes = 0
        return requests
    }

    private mutating func clear(_ index: Int, error: MQTTError?) -> PublishRequest? {
        let request = entries[index].request
        queuedMessages -= 1
        queuedBytes -= entries[index].byteCount
        entries[index].publication = nil
        entries[index].request = nil
        return request?.completeOne(error: error) == true ? request : nil
    }

    private mutating func removeAnswered() {
        while let first = entries.first, first.publication == nil {
            entries.removeFirst()
            front += 1
        }
        nextToSend = max(nextToSend, front)
    }
}

/// One call of `publish`: the publications still to be queued, and the number of answers still missing.
///
/// `@unchecked Sendable` because every access happens under the lock of the producer's `OutgoingState`. Only the
/// continuation is taken out under that lock and resumed after it.
final class PublishRequest: @unchecked Sendable {
    /// A waiting call and its result.
    typealias Completion = (call: CheckedContinuation<Void, any Error>?, result: Result<Void, any Error>)

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

    /// The number of publications that are not in the queue yet.
    var remainingCount: Int { publications.count - nextIndex }

    func advance() { nextIndex += 1 }

    func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    /// Counts an answer and keeps the first error. Returns true if it was the last answer.
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

    /// Takes out the continuation and its result, once. Resume it after the lock is released.
    func takeCompletion(error other: (any Error)? = nil) -> Completion {
        defer { continuation = nil }
        return (continuation, (error ?? other).map { .failure($0) } ?? .success(()))
    }
}
