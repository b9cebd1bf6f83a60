/// What a producer has to send: a value that decides, and leaves sending and resuming to others.
///
/// Entries leave at the front in the order in which they came. Those before `nextToSend` are with the library and the
/// broker; when a connection breaks, `nextToSend` goes back to the front and all that is unanswered is sent again, in
/// order, on the next one.
struct OutgoingQueue {
    /// A position in the queue, counted from the producer's first entry.
    typealias Number = UInt64

    private struct Entry {
        /// `nil` when it has been answered and waits for those before it.
        var publication: MQTTPublication?
        /// Whose it is; `nil` for an offer.
        var request: PublishRequest?
        var byteCount: Int
    }

    private let limits: MQTTProducerLimits
    private var entries = RingBuffer<Entry>()
    private var front: Number = 0
    private var nextToSend: Number = 0
    private var waiting = RingBuffer<PublishRequest>()
    private(set) var queuedBytes = 0
    private(set) var queuedMessages = 0
    private(set) var droppedCount = 0

    init(limits: MQTTProducerLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { queuedMessages == 0 && waiting.isEmpty }
    var waitingRequests: Int { waiting.count }
    /// What is in the queue and what of the requests has not got into it.
    var unansweredCount: Int {
        (0..<waiting.count).reduce(queuedMessages) { $0 + waiting[$1].remainingCount }
    }
}

// Coming in.
extension OutgoingQueue {
    /// Lines a request up and takes in what there is room for.
    mutating func add(_ request: PublishRequest) {
        waiting.append(request)
        admit()
    }

    /// Takes a publication that must not wait. Returns `false` and counts it when there is no room or others wait.
    mutating func offer(_ publication: MQTTPublication, isConnected: Bool) -> Bool {
        let byteCount = publication.byteCount
        guard isConnected, waiting.isEmpty, hasRoom(for: byteCount) else {
            droppedCount += 1
            return false
        }
        append(Entry(publication: publication, request: nil, byteCount: byteCount))
        return true
    }

    mutating func countDrop() {
        droppedCount += 1
    }

    /// Forgets what a cancelled request has not got into the queue; what is in it is still sent.
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
    /// The next publication to send, unless the window is full. The window spans positions, so that a message id is
    /// not used again before its PUBACK, whatever is answered in between.
    mutating func takeNext() -> (number: Number, publication: MQTTPublication)? {
        while nextToSend < front + UInt64(entries.count), nextToSend - front < UInt64(limits.maximumInFlight) {
            let number = nextToSend
            nextToSend += 1
            let index = Int(number - front)
            guard let publication = entries[index].publication else { continue }
            return (number, publication)
        }
        return nil
    }

    /// An entry is through: written (QoS 0), answered by the broker (QoS 1), or refused with an error.
    ///
    /// - Returns: the request that is complete with it, if one is.
    mutating func complete(_ number: Number, error: MQTTError?) -> PublishRequest? {
        guard number >= front, number - front < UInt64(entries.count) else { return nil }
        let index = Int(number - front)
        guard entries[index].publication != nil else { return nil }
        let request = clear(index, error: error)
        removeAnswered()
        admit()
        return request
    }

    /// The connection is gone: what is unanswered is to be sent again, and offers are dropped.
    mutating func connectionLost() {
        nextToSend = front
        for index in 0..<entries.count where entries[index].publication != nil && entries[index].request == nil {
            _ = clear(index, error: nil)
            droppedCount += 1
        }
        removeAnswered()
        admit()
    }

    /// Gives everything up and returns the requests that will never be complete.
    mutating func failAll() -> [PublishRequest] {
        var requests: [PublishRequest] = []
        for index in 0..<entries.count {
            guard entries[index].publication != nil else { continue }
            if let request = entries[index].request, requests.last !== request { requests.append(request) }
        }
        while let request = waiting.first {
            if requests.last !== request { requests.append(request) }
            waiting.removeFirst()
        }
        entries = RingBuffer()
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
        guard let request else {
            if error != nil { droppedCount += 1 }
            return nil
        }
        return request.completeOne(error: error) ? request : nil
    }

    private mutating func removeAnswered() {
        while let first = entries.first, first.publication == nil {
            entries.removeFirst()
            front += 1
        }
        nextToSend = max(nextToSend, front)
    }
}
