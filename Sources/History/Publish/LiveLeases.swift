import MQTT
package import Wire

/// A requester's lease on a notice at every `every` steps or revolutions. It ends unless it is renewed.
package struct LiveLease: Sendable, Equatable {
    package let device: DeviceID
    /// The topic of the notices; with the device, the key of the lease.
    package let topic: [UInt8]
    /// The counted quantity.
    package let counts: CountedKind
    /// The steps or revolutions from one notice to the next.
    package let every: Int64
    /// The first minute that counts.
    package let startMinute: Int64
    /// When it ends, in seconds since 1970.
    package var expiresSeconds: Double
    /// The Correlation Data of every notice.
    package var correlationData: [UInt8]?
    /// The transaction in every notice's payload.
    package var transaction: Transaction?
    /// True if the device is others' too: today's total is theirs as well, and is not told.
    var isShared = false
    /// The steps or revolutions since `startMinute`.
    package var counted: Int64 = 0
    /// The number of the last notice; it never falls.
    package var reached: Int64 = 0

    /// True if both number the same notices.
    fileprivate func countsLike(_ other: LiveLease) -> Bool {
        (startMinute, every, counts) == (other.startMinute, other.every, other.counts)
    }
}

/// The leases on notices, in memory: an asker renews its own, and a history that restarts learns of it by the renewal.
///
/// Counts are read from the store since the lease's beginning, so a notice that was lost is made good by the next.
package struct LiveLeases: Sendable {
    /// The time of a lease where the request names none, in seconds: a requester that renews it every 30 s may
    /// fail twice.
    static let defaultLeaseSeconds = 90.0
    package static let maximumLeasesADevice = 100
    static let maximumLeases = 10_000
    /// The most notices of one lease at once; of more, only the last are sent.
    package static let maximumNotices: Int64 = 256
    /// The leases after which no other device's are counted in one go.
    static let maximumCounted = 500

    /// The leases of each device by their topics; a device without any is not in it.
    private var leases: [DeviceID: [[UInt8]: LiveLease]] = [:]
    /// Devices with leases that have changed since these were last counted.
    private var changed: Set<DeviceID> = []

    package init() {}

    package var count: Int { leases.values.reduce(0) { $0 + $1.count } }

    /// A request that renews a lease and has no `from` means the beginning of that lease.
    package func renewed(_ request: HistoryRequest, to topic: [UInt8]) -> HistoryRequest {
        guard request.verb == .liveStart, request.from == nil, let device = request.device, let every = request.every,
            let lease = leases[device]?[topic], lease.every == Int64(clamping: every),
            lease.counts == request.counts ?? lease.counts
        else { return request }
        var request = request
        request.from = .instant(seconds: Double(lease.startMinute) * 60)
        return request
    }

    /// Begins a lease, or takes the place of the one of its device and topic.
    /// - Returns: The lease; `nil` if there are too many.
    package mutating func start(_ new: LiveLease) -> LiveLease? {
        let old = leases[new.device]?[new.topic]
        guard old != nil || hasRoom(for: new.device) else { return nil }
        var lease = new
        // Steps since the last notice have not been reported.
        if let old, old.countsLike(new) { lease.reached = old.reached }
        if lease.counted / lease.every > lease.reached { changed.insert(lease.device) }
        leases[lease.device, default: [:]][lease.topic] = lease
        return lease
    }

    private func hasRoom(for device: DeviceID) -> Bool {
        count < Self.maximumLeases && leases[device]?.count ?? 0 < Self.maximumLeasesADevice
    }

    /// Ends a lease.
    /// - Returns: Whether there was one.
    package mutating func stop(_ device: DeviceID, topic: [UInt8]) -> Bool {
        guard var own = leases[device], own.removeValue(forKey: topic) != nil else { return false }
        leases[device] = own.isEmpty ? nil : own
        return true
    }

    /// Ends the leases that were not renewed in time.
    /// - Returns: How many.
    package mutating func endExpired(nowSeconds: Double) -> Int {
        let before = count
        leases = leases.compactMapValues { own in
            let live = own.filter { $0.value.expiresSeconds >= nowSeconds }
            return live.isEmpty ? nil : live
        }
        return before - count
    }

    /// Devices have other counts than before.
    package mutating func change(_ devices: Set<DeviceID>) {
        for device in devices where leases[device] != nil { changed.insert(device) }
    }

    /// Some of the leases to be counted now: all of a device at once.
    package mutating func takeDue() -> [LiveLease] {
        var due: [LiveLease] = []
        while due.count < Self.maximumCounted, let device = changed.popFirst() {
            due += leases[device, default: [:]].values
        }
        return due
    }

    /// A lease was counted; gives it as it is now, and its notices.
    package mutating func note(
        _ lease: LiveLease, counted: Int64, today: Int64, nowSeconds: Double
    ) -> (lease: LiveLease, notices: [LiveNotice]) {
        guard var known = leases[lease.device]?[lease.topic], known.countsLike(lease) else { return (lease, []) }
        let last = max(known.reached, counted / known.every)
        let first = max(known.reached + 1, last - Self.maximumNotices + 1)
        (known.counted, known.reached) = (counted, last)
        leases[known.device]?[known.topic] = known
        guard first <= last else { return (known, []) }
        let notices = (first...last).map { number in
            LiveNotice {
                ($0.device, $0.counts) = (known.device, known.counts)
                $0.number = UInt64(clamping: number)
                $0.counted = UInt64(clamping: number * known.every)
                $0.today = UInt64(clamping: today)
                $0.t = nowSeconds
            }
        }
        return (known, notices)
    }
}

extension HistoryPublisher {
    /// The share of its time that history spends on counting leases at most.
    private static let countingShare = 0.1

    /// Publishes notices as they fall due, until it is cancelled.
    func publishNotices() async {
        for await _ in noticesDue.stream {
            let start = ContinuousClock.now
            await publishDueNotices()
            try? await Task.sleep(for: (ContinuousClock.now - start) * (1 / Self.countingShare - 1))
        }
    }

    /// Counts the leases whose devices have changed. A notice that is lost is made good by the next.
    func publishDueNotices() async {
        let answers = HistoryAnswers(store: store)
        for lease in leases.takeDue() {
            guard let (counted, today) = try? await answers.progress(of: lease, nowSeconds: now()) else {
                leases.change([lease.device])
                continue
            }
            let (lease, notices) = leases.note(lease, counted: counted, today: today, nowSeconds: now())
            health[.notices] += UInt64(notices.count)
            for notice in notices {
                let payload = HistoryReply.ok(transaction: lease.transaction, data: notice).encodedJSON()
                producer.offer(publication(payload, to: lease.topic, lease.correlationData))
            }
        }
    }

    func publication(_ payload: [UInt8], to topic: [UInt8], _ correlationData: [UInt8]?) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: payload, properties: correlationData.map { MQTTProperties(correlationData: $0) })
    }
}
