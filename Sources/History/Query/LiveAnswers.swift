import ServiceKit
package import Wire

extension HistoryAnswers {
    /// `live/start`: a lease on a notice at every `every` steps or revolutions since `from`, or since now, to where
    /// this request is answered. The minute of `from` counts from its beginning, as in `history/interval`.
    func lease(_ request: HistoryRequest, _ requester: Requester?, nowSeconds: Double) async throws -> LiveLease {
        let nowMinute = nowMinute(nowSeconds)
        let device = try Self.device(of: request)
        let record = try await store.device(device) ?? SubjectRecord(.device(device))
        let calendar = try calendar(request, of: record.settings)
        guard let every = request.every else {
            throw ReplyError(code: .badRequest, message: "'every' is missing; give a number of steps, such as 100")
        }
        let start = request.from.map { RequestedRange.minute($0, in: calendar, .down) } ?? nowMinute
        try await permit(record, min(start, nowMinute)..<nowMinute + 1, for: request.verb, nowMinute: nowMinute)
        let isShared = asker.scope(of: request.verb) == .own && device != asker.user
        let leaseSeconds = min(
            request.leaseSeconds.map { Double($0) } ?? LiveLeases.defaultLeaseSeconds,
            isShared ? Double(Self.maximumSharedLeaseSeconds) : .infinity)
        var lease = LiveLease(
            device: device, topic: try Self.noticeTopic(requester),
            counts: try Self.counts(request, record), every: max(1, Int64(clamping: every)),
            startMinute: min(start, nowMinute), expiresSeconds: nowSeconds + leaseSeconds)
        lease.correlationData = requester?.correlationData
        lease.transaction = request.transaction
        lease.isShared = isShared
        lease.counted = try await counted(lease)
        lease.reached = max(0, lease.counted / lease.every)
        return lease
    }

    /// The steps or revolutions since a lease's beginning.
    func counted(_ lease: LiveLease) async throws(HistoryError) -> Int64 {
        let range = lease.startMinute..<DayCalendar.minutes.upperBound
        return try await store.sums(of: .device(lease.device), in: [range]).first?.counts[lease.counts] ?? 0
    }

    /// The steps or revolutions since a lease's beginning, and today by the device's calendar.
    package func progress(
        of lease: LiveLease, nowSeconds: Double
    ) async throws(HistoryError) -> (counted: Int64, today: Int64) {
        let record = try await store.device(lease.device) ?? SubjectRecord(.device(lease.device))
        let day = try await store.day(of: record, at: nowMinute(nowSeconds))
        let counted = try await self.counted(lease)
        return (counted, lease.isShared ? counted : day.counts[lease.counts])
    }

    /// Notices go only to a topic that the requester has named: all others may listen to the verb's own.
    static func noticeTopic(_ requester: Requester?) throws(ReplyError) -> [UInt8] {
        guard let address = requester?.address, address.isNamed else {
            throw ReplyError(
                code: .badRequest, message: "name a topic of your own for notices: a Response Topic, or 'reply_to'")
        }
        return address.topic
    }

    /// The counts that notices are about. A device without any data may be of any kind.
    private static func counts(
        _ request: HistoryRequest, _ record: SubjectRecord
    ) throws(ReplyError) -> CountedKind {
        let kind = DeviceKind(rawValue: record.settings.kind)
        let counts = request.counts ?? (kind == .bike ? .revolutions : .steps)
        let capability: Capability = counts == .steps ? .steps : .revolutions
        guard record.firstMinute != nil,
            case .unavailable(let why)? = CapabilitiesData(record).availabilities[capability]
        else { return counts }
        throw ReplyError(code: .notAvailable, message: "no \(counts.rawValue) from this device: \(why)")
    }
}

extension LiveLeaseData {
    /// The payload of a lease.
    package init(_ lease: LiveLease) {
        self.init()
        (device, counts) = (lease.device, lease.counts)
        every = UInt64(clamping: lease.every)
        from = Double(lease.startMinute) * 60
        counted = UInt64(clamping: max(0, lease.counted))
        number = UInt64(clamping: lease.reached)
        expiresT = lease.expiresSeconds
    }
}
