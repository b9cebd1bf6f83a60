/// The consumer's part of a connection's thread: reads a batch, hands it over, and sends its PUBACKs after the
/// application has acknowledged it.
///
/// Invariant: libmosquitto's out-queue holds the PUBACKs of the messages that were read. So the queue is not written
/// between the first read of a batch and its acknowledgement, and nothing is read before the queue is empty again.
struct ConsumerRole: ConnectionRole {
    let wakeUp: WakeUp
    let handover: ConsumerHandover
    let limits: MQTTBatchLimits
    let configuration: MQTTConnectionConfiguration
    let subscriptions: [MQTTSubscription]
    private(set) var madeProgress = false
    private(set) var wasServed = false
    private var grants: SubscriptionGrants
    private var pool = ArenaPool()
    private var nextSerial: UInt64 = 1
    /// The number of messages to read one at a time after a malformed one, so that those before it are acknowledged.
    private var carefulMessages = 0
    /// The start of the last hand-over, in seconds of the monotonic clock.
    private var handOverSeconds = -Double.infinity
    /// The deadline of a stop that came while a batch was held.
    private var stopDeadline: Double?

    /// How long a batch is filled while messages keep coming, in seconds. An idle socket closes the batch at once.
    private static let maximumFillSeconds = 0.05
    /// The longest wait of a stopping consumer for the acknowledgement of the current batch, in seconds.
    static let maximumStopSeconds = 10.0

    init(
        configuration: MQTTConnectionConfiguration, subscriptions: [MQTTSubscription], limits: MQTTBatchLimits,
        handover: ConsumerHandover, wakeUp: WakeUp
    ) {
        self.configuration = configuration
        self.subscriptions = subscriptions
        grants = SubscriptionGrants(patienceSeconds: configuration.refusedSubscriptionSeconds)
        self.limits = limits
        self.handover = handover
        self.wakeUp = wakeUp
    }

    var isStopRequested: Bool { handover.isStopRequested }
    var isCleanStart: Bool { configuration.sessionExpirySeconds == 0 }
    /// RabbitMQ 3.10 keeps the queue of a clean session too on the node of its connection, and lets nobody have it while
    /// that node is down.
    var renewsClientID: Bool { isCleanStart }
    var givesUpSession: Bool { configuration.givesUpSession && !isCleanStart }
    var sendMaximum: Int { 20 }

    func check() throws(MQTTError) {
        guard limits.maximumMessages > 0, limits.maximumBytes > 0, limits.maximumHoldSeconds > 0,
            limits.spacingMilliseconds >= 0
        else {
            throw MQTTError(
                .invalidConfiguration, "every limit of MQTTBatchLimits must be above 0, and the spacing not below")
        }
        for subscription in subscriptions { try MQTTSubscription.check(subscription.filter) }
    }

    mutating func prepare() -> MosquittoEvents {
        (madeProgress, wasServed) = (false, false)
        return MosquittoEvents(arena: pool.take())
    }

    mutating func connectionEnded(with error: MQTTError?) -> Bool {
        if let error, error.code == .protocolViolation, !madeProgress {
            carefulMessages = Int(configuration.receiveMaximum)
        }
        grants.connectionEnded(with: error)
        return handover.withdraw() || hasWaitedLongEnoughToStop()
    }

    func finish(_ end: Result<Void, MQTTError>) {
        handover.finish(end)
    }

    mutating func serve(
        _ handle: MosquittoHandle, _ info: MQTTSessionInfo, announce: () -> Void
    ) throws(MQTTError) {
        var unannounced: MQTTSessionInfo? = info
        // A TLS record may hold messages behind CONNACK. Their PUBACKs are queued, so nothing is written before these
        // messages are committed.
        if handle.events.arena?.records.isEmpty == false {
            announce()
            guard try handOver(handle, &unannounced) else { return leave(handle) }
        }
        do throws(MQTTError) { try serveSubscribed(handle, &unannounced, announce: announce) } catch {
            // RabbitMQ ends the connection of whoever may not subscribe.
            guard error.code == .connectionLost, error.reasonCode == nil,
                let filter = handle.events.pendingSubscriptions.min(by: { $0.key < $1.key })?.value
            else { throw error }
            throw .closedAtSubscription(to: filter)
        }
    }

    private mutating func serveSubscribed(
        _ handle: MosquittoHandle, _ unannounced: inout MQTTSessionInfo?, announce: () -> Void
    ) throws(MQTTError) {
        for subscription in subscriptions { try handle.subscribe(subscription) }
        let deadline = MonotonicClock.nowSeconds + configuration.connectTimeoutSeconds
        while true {
            try flush(handle)
            guard try fill(handle, untilSubscribed: unannounced == nil ? nil : deadline) else {
                return leave(handle)
            }
            if unannounced != nil { announce() }
            guard try handOver(handle, &unannounced) else { return leave(handle) }
        }
    }
}

// One batch.
extension ConsumerRole {
    /// Reads until there is something to hand over. Returns `false` when stopped.
    private mutating func fill(_ handle: MosquittoHandle, untilSubscribed deadline: Double?) throws(MQTTError) -> Bool {
        let events = handle.events
        guard let arena = events.arena else { return false }
        while true {
            if isStopRequested { return false }
            if arena.records.isEmpty { try flush(handle) }
            // The batch is kept back until the SUBACK, unless it is full. So an application that learns of a new
            // connection receives everything that is published from then on.
            let isSubscribed = events.pendingSubscriptions.isEmpty
            if let deadline {
                if isSubscribed || isFull(arena) { return true }
                guard MonotonicClock.nowSeconds < deadline else {
                    throw MQTTError(.connectTimeout, "the broker does not answer SUBSCRIBE: see its log")
                }
            } else if isReady(arena) {
                return true
            }
            let poll = handle.wait(wakeUp, input: true, output: false, seconds: patienceSeconds(handle, arena))
            if poll.isReadable || poll.hasHungUp { try readBurst(handle, into: arena) }
            // After reading, because a PINGRESP may have waited while a batch was held.
            try handle.keepAlive()
            try checkGrants(events)
        }
    }

    private mutating func checkGrants(_ events: MosquittoEvents) throws(MQTTError) {
        if !events.grantedSubscriptions.isEmpty {
            wasServed = true
            grants.note(granted: events.grantedSubscriptions)
            events.grantedSubscriptions.removeAll(keepingCapacity: true)
        }
        guard let (filter, reason) = events.refusedSubscription else { return }
        throw grants.error(refused: filter, reason: reason, nowSeconds: MonotonicClock.nowSeconds)
    }

    private func isReady(_ arena: MessageArena) -> Bool {
        !arena.records.isEmpty
            && (isFull(arena) || arena.byteCount >= limits.spacingBytes || spacingSeconds <= 0)
    }

    /// How long to wait for more messages, in seconds.
    private func patienceSeconds(_ handle: MosquittoHandle, _ arena: MessageArena) -> Double {
        arena.records.isEmpty ? handle.secondsUntilCheck : min(MosquittoHandle.tickSeconds, max(0, spacingSeconds))
    }

    /// The time until the next hand-over of a batch that is not full, in seconds.
    private var spacingSeconds: Double {
        handOverSeconds + Double(limits.spacingMilliseconds) / 1_000 - MonotonicClock.nowSeconds
    }

    private func readBurst(_ handle: MosquittoHandle, into arena: MessageArena) throws(MQTTError) {
        let end = MonotonicClock.nowSeconds + Self.maximumFillSeconds
        var packets = 0
        while !isFull(arena) {
            guard try handle.read() else { return }
            packets += 1
            // The clock is read once in 32 packets, because reading it costs as much as a short message.
            if packets % 32 == 0, MonotonicClock.nowSeconds >= end { return }
        }
    }

    private func isFull(_ arena: MessageArena) -> Bool {
        arena.records.count >= (carefulMessages > 0 ? 1 : limits.maximumMessages)
            || arena.byteCount >= limits.maximumBytes
    }

    /// Hands the batch over and waits until it is settled. Returns `false` when stopped without an acknowledgement.
    private mutating func handOver(
        _ handle: MosquittoHandle, _ unannounced: inout MQTTSessionInfo?
    ) throws(MQTTError) -> Bool {
        guard let full = handle.events.arena else { return false }
        let hasMessages = !full.records.isEmpty
        handOverSeconds = MonotonicClock.nowSeconds
        handover.offer(MQTTBatch(serial: nextSerial, connection: unannounced, arena: full, handover: handover))
        nextSerial += 1
        unannounced = nil
        guard try hold(handle) else { return false }
        try flush(handle)
        if hasMessages {
            madeProgress = true
            carefulMessages = max(carefulMessages - 1, 0)
        }
        handle.events.arena = pool.take()
        return true
    }

    /// Waits for the acknowledgement and keeps the connection alive meanwhile. Returns `false` when stopped first.
    private mutating func hold(_ handle: MosquittoHandle) throws(MQTTError) -> Bool {
        let began = MonotonicClock.nowSeconds
        var lastPing = began
        while true {
            switch handover.settlement() {
            case .acknowledged: return true
            case .abandoned:
                throw MQTTError(.batchAbandoned, "a batch was released without acknowledge(): it is delivered again")
            case nil: break
            }
            if isStopRequested, handover.withdrawUntaken() || hasWaitedLongEnoughToStop() { return false }
            let now = MonotonicClock.nowSeconds
            if now - began > maximumHoldSeconds(handle) {
                throw MQTTError(
                    .batchHeldTooLong,
                    "a batch was held for \(Int(now - began)) s: it is delivered again; commit faster")
            }
            if now - lastPing >= Double(configuration.keepAliveSeconds) / 2 {
                // A failure is ignored: a connection that does not take two bytes breaks by itself or at the next read.
                _ = handle.sendPastQueue(.pingRequest)
                lastPing = now
            }
            let poll = handle.wait(wakeUp, input: false, output: false, seconds: MosquittoHandle.tickSeconds)
            if poll.hasHungUp, handover.settlementIsPending {
                throw MQTTError(.connectionLost, MQTTError.closedByBroker)
            }
        }
    }

    private func maximumHoldSeconds(_ handle: MosquittoHandle) -> Double {
        handle.isTLS
            ? min(limits.maximumHoldSeconds, Double(configuration.keepAliveSeconds)) : limits.maximumHoldSeconds
    }
}

// Writing and leaving.
extension ConsumerRole {
    /// Writes until the library's queue is empty.
    private func flush(_ handle: MosquittoHandle) throws(MQTTError) {
        let deadline = MonotonicClock.nowSeconds + 2 * Double(configuration.keepAliveSeconds)
        while handle.wantsWrite {
            try handle.write()
            guard handle.wantsWrite else { return }
            guard MonotonicClock.nowSeconds < deadline else {
                throw MQTTError(.keepAliveTimeout, "the broker takes no bytes: it may be stopped")
            }
            let poll = handle.wait(wakeUp, input: false, output: true, seconds: MosquittoHandle.tickSeconds)
            if poll.hasHungUp, !poll.isWritable { throw MQTTError(.connectionLost, MQTTError.closedByBroker) }
        }
    }

    /// Sends DISCONNECT, but no PUBACKs of batches that were not acknowledged.
    private func leave(_ handle: MosquittoHandle) {
        if handle.wantsWrite {
            _ = handle.sendPastQueue(.disconnect)
        } else {
            handle.disconnect()
            // The connection ends here in any case.
            try? handle.write()
        }
    }

    private mutating func hasWaitedLongEnoughToStop() -> Bool {
        guard isStopRequested else { return false }
        let now = MonotonicClock.nowSeconds
        guard let stopDeadline else {
            self.stopDeadline = now + Self.maximumStopSeconds
            return false
        }
        return now >= stopDeadline
    }
}
