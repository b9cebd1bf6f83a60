/// The producer's part of a connection's thread: fills the in-flight window, writes, and matches PUBACKs.
struct ProducerRole: ConnectionRole {
    let wakeUp: WakeUp
    let outgoing: OutgoingState
    let limits: MQTTProducerLimits
    private(set) var madeProgress = false
    var wasServed: Bool { madeProgress }
    /// The entries that wait for a PUBACK, by message id. For this connection only: each has its own `mosquitto`.
    private var numbers: [Int32: (number: OutgoingQueue.Number, needsSubscriber: Bool)] = [:]
    private var taken: [(number: OutgoingQueue.Number, publication: MQTTPublication)] = []
    private var answers: [(number: OutgoingQueue.Number, error: MQTTError?)] = []

    /// The maximum number of messages passed to the library before its queue is written, so that QoS 0 messages for a
    /// slow broker stay in our bounded queue.
    private static let maximumBurst = 128

    init(limits: MQTTProducerLimits, outgoing: OutgoingState, wakeUp: WakeUp) {
        self.limits = limits
        self.outgoing = outgoing
        self.wakeUp = wakeUp
    }

    /// A stopping producer continues until the queue is empty or the deadline has passed.
    var isStopRequested: Bool { outgoing.isOver(nowSeconds: MonotonicClock.nowSeconds) }

    /// A producer needs no session: it has no subscriptions, and unanswered messages are in its own queue.
    var isCleanStart: Bool { true }
    var renewsClientID: Bool { false }
    var givesUpSession: Bool { false }
    var sendMaximum: Int { limits.maximumInFlight }

    func check() throws(MQTTError) {
        guard (1...1_000).contains(limits.maximumInFlight) else {
            throw MQTTError(.invalidConfiguration, "maximumInFlight is \(limits.maximumInFlight): give 1 to 1000")
        }
        guard limits.maximumQueuedMessages > 0, limits.maximumQueuedBytes > 0, limits.stopSeconds >= 0 else {
            throw MQTTError(.invalidConfiguration, "the limits of MQTTProducerLimits must be above 0")
        }
    }

    mutating func prepare() -> MosquittoEvents {
        madeProgress = false
        numbers.removeAll(keepingCapacity: true)
        return MosquittoEvents(arena: nil)
    }

    mutating func connectionEnded(with error: MQTTError?) -> Bool {
        outgoing.connectionLost(isClosedByBroker: error?.code == .connectionLost && error?.reasonCode == nil)
        return true
    }

    func finish(_ end: Result<Void, MQTTError>) {
        switch end {
        case .success: outgoing.finish(MQTTError(.stopped, "the producer has been stopped"))
        case .failure(let error): outgoing.finish(error)
        }
    }

    mutating func serve(
        _ handle: MosquittoHandle, _ info: MQTTSessionInfo, announce: () -> Void
    ) throws(MQTTError) {
        // Opened before the state change is reported, so that an observer of the connection can offer at once.
        outgoing.connected()
        announce()
        while !isStopRequested {
            if !handle.wantsWrite { try sendBurst(handle) }
            try handle.write()
            let canSendMore = !taken.isEmpty && !handle.wantsWrite
            let poll = handle.wait(
                wakeUp, input: true, output: handle.wantsWrite, seconds: canSendMore ? 0 : handle.secondsUntilCheck)
            if poll.isReadable || poll.hasHungUp { while try handle.read() {} }
            complete(handle.events)
            try handle.keepAlive()
        }
        leave(handle)
    }

    private mutating func sendBurst(_ handle: MosquittoHandle) throws(MQTTError) {
        taken = outgoing.takeNext(maximumCount: Self.maximumBurst)
        for (number, publication) in taken {
            do throws(MQTTError) {
                let messageID = try handle.publish(publication)
                if publication.qos == .atMostOnce {
                    answers.append((number, nil))
                } else {
                    numbers[messageID] = (number, publication.needsSubscriber)
                }
            } catch  where error.code == .connectionLost {
                throw error
            } catch {
                answers.append((number, error))
            }
        }
        complete(handle.events)
    }

    private mutating func complete(_ events: MosquittoEvents) {
        for (messageID, reason) in events.publishAnswers {
            guard let sent = numbers.removeValue(forKey: messageID) else { continue }
            madeProgress = true
            let isThrownAway = reason == MQTTError.noMatchingSubscribers && sent.needsSubscriber
            let error = reason >= 0x80 || isThrownAway ? MQTTError.refused(reason: reason, what: "publishing") : nil
            answers.append((sent.number, error))
        }
        events.publishAnswers.removeAll(keepingCapacity: true)
        guard !answers.isEmpty else { return }
        outgoing.complete(answers)
        answers.removeAll(keepingCapacity: true)
    }

    /// Writes the rest and DISCONNECT, within a second. If publications are unanswered, the broker publishes the will.
    private func leave(_ handle: MosquittoHandle) {
        if outgoing.hasSentAll { handle.disconnect() } else { handle.disconnectWithWill() }
        let deadline = MonotonicClock.nowSeconds + min(limits.stopSeconds, 1)
        while handle.wantsWrite, MonotonicClock.nowSeconds < deadline {
            // The connection ends here in any case, and `write` throws when it does.
            guard (try? handle.write()) != nil, handle.wantsWrite else { return }
            _ = handle.wait(wakeUp, input: false, output: true, seconds: 0.1)
        }
    }
}
