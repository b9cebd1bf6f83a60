import Wire

extension HistoryAnswers {
    /// `live/start`: a notice at every so many steps or revolutions since `from`, or since now, to where this request
    /// is answered. The same request again renews the lease; another number or beginning replaces it.
    func startLive(_ request: HistoryRequest, _ asker: Asker?, nowSeconds: Double) async throws -> LiveLeaseData {
        let nowMinute = nowMinute(nowSeconds)
        let (record, calendar) = try await subject(of: request)
        guard let every = request.every else {
            throw ReplyError(code: .badRequest, message: "'every' is missing; give a number of steps, such as 100")
        }
        let counts = try Self.counts(request, record)
        let start = request.from.map { RequestedRange.minute($0, in: calendar) } ?? nowMinute
        let offer = LeaseOffer(
            device: record.device, topic: try Self.noticeTopic(asker), correlationData: asker?.correlationData,
            transaction: request.transaction, counts: counts, every: Int64(clamping: every),
            startMinute: min(start, nowMinute), saysStart: request.from != nil,
            leaseSeconds: request.leaseSeconds.map { Int64($0) } ?? LiveLimits.defaultLeaseSeconds)
        let lease = try await store.startLease(offer, nowSeconds: Int64(clampingSeconds: nowSeconds))
        guard let lease else {
            throw ReplyError(code: .tooBusy, message: "too many leases already; stop some, or wait until they expire")
        }
        return LiveLeaseData(lease)
    }

    /// `live/stop`: ends the lease of a device whose notices go to where this request is answered.
    func stopLive(_ request: HistoryRequest, _ asker: Asker?) async throws -> LiveStopData {
        let device = try await subject(of: request).record.device
        let topic = try Self.noticeTopic(asker)
        return LiveStopData(device: device, wasActive: try await store.stopLease(of: device, topic: topic))
    }

    /// A topic that everybody may listen to is nobody's: notices go where an asker has named a place of its own.
    private static func noticeTopic(_ asker: Asker?) throws(ReplyError) -> [UInt8] {
        guard let address = asker?.address, address.isNamed else {
            throw ReplyError(
                code: .badRequest, message: "name a topic of your own for notices: a Response Topic, or 'reply_to'")
        }
        return address.topic
    }

    /// What is counted. A device that was never heard may be of any kind.
    private static func counts(
        _ request: HistoryRequest, _ record: DeviceRecord
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
    /// A lease as the bus says it.
    init(_ lease: LiveLease) {
        self.init(
            device: lease.device, counts: lease.counts, every: UInt64(clamping: lease.every),
            from: Double(lease.startMinute) * 60, counted: UInt64(clamping: max(0, lease.counted)),
            number: UInt64(clamping: lease.reached), expiresT: Double(lease.expiresSeconds))
    }
}
