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

    /// A new lease, without counts.
    package init(
        device: DeviceID, topic: [UInt8], counts: CountedKind, every: Int64, startMinute: Int64, expiresSeconds: Double
    ) {
        self.device = device
        self.topic = topic
        self.counts = counts
        self.every = every
        self.startMinute = startMinute
        self.expiresSeconds = expiresSeconds
    }
}

/// The leases on notices, in memory: an asker renews its own, and a history that restarts learns of it by the renewal.
///
/// Counts are read from the store since the lease's beginning, so a notice that was lost is made good by the next.
package struct LiveLeases: Sendable {
    private struct Entry {
        var lease: LiveLease
        /// True if the device has changed since it was last counted.
        var isChanged = false
    }

    /// The time of a lease where the request names none, in seconds: a requester that renews it every 30 s may
    /// fail twice.
    static let defaultLeaseSeconds = 90.0
    package static let maximumLeasesADevice = 100
    static let maximumLeases = 10_000
    /// The most notices of one lease at once; of more, only the last are sent.
    package static let maximumNotices: Int64 = 256
    static let maximumCounted = 500
    /// The share of its time that history spends on counting leases at most.
    static let countingShare = 0.1

    /// The leases of each device, by the topics of their notices.
    private var entries: [DeviceID: [[UInt8]: Entry]] = [:]
    package private(set) var count = 0
    private var isCounting = false
    private var nextCountSeconds = -Double.infinity

    package init() {}

    /// The beginning of the lease that a request without `from` renews, in minutes; `nil` where there is none.
    func startMinute(of device: DeviceID, topic: [UInt8], every: Int64, counts: CountedKind?) -> Int64? {
        guard let lease = entries[device]?[topic]?.lease, lease.every == every else {
            return nil
        }
        return counts ?? lease.counts == lease.counts ? lease.startMinute : nil
    }

    /// A request that renews a lease and has no `from` means the beginning of that lease.
    package func renewed(_ request: HistoryRequest, to topic: [UInt8]) -> HistoryRequest {
        guard request.verb == .liveStart, request.from == nil, let device = request.device, let every = request.every,
            let minute = startMinute(
                of: device, topic: topic, every: Int64(clamping: every), counts: request.counts)
        else { return request }
        var request = request
        request.from = .instant(seconds: Double(minute) * 60)
        return request
    }

    /// Begins a lease, or takes the place of the one of its device and topic.
    /// - Returns: The lease; `nil` if there are too many.
    package mutating func start(_ new: LiveLease) -> LiveLease? {
        let old = entries[new.device]?[new.topic]?.lease
        guard
            old != nil || (count < Self.maximumLeases && entries[new.device]?.count ?? 0 < Self.maximumLeasesADevice)
        else { return nil }
        var lease = new
        if let old, old.startMinute == new.startMinute, old.every == new.every, old.counts == new.counts {
            // Steps since the last notice have not been reported.
            lease.reached = old.reached
        }
        if old == nil { count += 1 }
        entries[new.device, default: [:]][new.topic] = Entry(
            lease: lease, isChanged: lease.counted / lease.every > lease.reached)
        return lease
    }

    /// Ends a lease.
    /// - Returns: Whether there was one.
    package mutating func stop(_ device: DeviceID, topic: [UInt8]) -> Bool {
        guard entries[device]?.removeValue(forKey: topic) != nil else { return false }
        if entries[device]?.isEmpty == true { entries[device] = nil }
        count -= 1
        return true
    }

    /// Ends the leases that were not renewed in time.
    /// - Returns: How many.
    package mutating func endExpired(nowSeconds: Double) -> Int {
        let expired = entries.values.joined().map(\.value.lease).filter { $0.expiresSeconds < nowSeconds }
        for lease in expired { _ = stop(lease.device, topic: lease.topic) }
        return expired.count
    }

    /// Devices have other counts than before.
    package mutating func change(_ devices: Set<DeviceID>) {
        guard count > 0 else { return }
        for device in devices {
            for topic in entries[device]?.keys.map(\.self) ?? [] { entries[device]?[topic]?.isChanged = true }
        }
    }

    /// The leases to be counted now; while some are being counted, none.
    package mutating func takeDue(nowSeconds: Double) -> [LiveLease] {
        guard !isCounting, count > 0, nowSeconds >= nextCountSeconds || nowSeconds < nextCountSeconds - 60 else {
            return []
        }
        let due = entries.values.joined().lazy.filter(\.value.isChanged).prefix(Self.maximumCounted).map(\.value.lease)
        for lease in Array(due) { entries[lease.device]?[lease.topic]?.isChanged = false }
        isCounting = !due.isEmpty
        return Array(due)
    }

    /// All that were taken have been counted.
    /// - Parameter seconds: How long that took.
    package mutating func countingEnded(nowSeconds: Double, seconds: Double) {
        isCounting = false
        nextCountSeconds = nowSeconds + seconds * (1 / Self.countingShare - 1)
    }

    /// A lease was counted; gives its notices.
    package mutating func counted(_ progress: LeaseProgress, nowSeconds: Double) -> [LeaseNotice] {
        let counted = progress.lease
        guard var lease = entries[counted.device]?[counted.topic]?.lease, lease.startMinute == counted.startMinute,
            lease.every == counted.every, lease.counts == counted.counts
        else { return [] }
        lease.counted = progress.counted
        let last = max(lease.reached, progress.counted / lease.every)
        let first = max(lease.reached + 1, last - Self.maximumNotices + 1)
        lease.reached = last
        entries[lease.device]?[lease.topic]?.lease = lease
        guard first <= last else { return [] }
        return (first...last).map { number in
            LeaseNotice(
                lease: lease,
                notice: LiveNotice {
                    ($0.device, $0.counts) = (lease.device, lease.counts)
                    $0.number = UInt64(clamping: number)
                    $0.counted = UInt64(clamping: number * lease.every)
                    $0.today = UInt64(clamping: progress.today)
                    $0.t = nowSeconds
                })
        }
    }
}

/// The steps or revolutions since a lease's beginning, and today.
package struct LeaseProgress: Sendable {
    package var lease: LiveLease
    package var counted: Int64
    package var today: Int64

    package init(lease: LiveLease, counted: Int64, today: Int64) {
        self.lease = lease
        self.counted = counted
        self.today = today
    }
}

/// One notice on its way to the topic of a lease.
package struct LeaseNotice: Sendable {
    var lease: LiveLease
    package var notice: LiveNotice

    package var topic: [UInt8] { lease.topic }
    package var correlationData: [UInt8]? { lease.correlationData }
    package var payload: [UInt8] { HistoryReply.ok(transaction: lease.transaction, data: notice).encodedJSON() }
}
