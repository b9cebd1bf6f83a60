import Wire

/// Answers requests from the store. Nothing known is zeros with `"covered_s": 0`, not an error: history cannot tell a
/// device that was never switched on from one that does not exist.
///
/// A zone named in the request counts before the device's own; local dates are days of that zone, beginning at the
/// device's start of day.
struct HistoryAnswers<Store: HistoryStore>: Sendable {
    let store: Store
    let defaultZone: DayCalendar
    /// Who is answered.
    var policy = RequestPolicy.open
    /// Told of devices whose retained totals are not true any more.
    var board: SharedBoard?
    /// Told of devices of which something is being forgotten.
    var desk: ForgettingDesk?

    /// The answer to a request; `asker` is needed only for notices.
    func answer(_ request: HistoryRequest, from asker: Asker? = nil, nowSeconds: Double) async -> HistoryReply {
        do {
            if let refusal = policy.refusal(of: request) { throw refusal }
            let data = try await fittedData(for: request, asker, nowSeconds: nowSeconds)
            return .ok(transaction: request.transaction, data: data)
        } catch let error as ReplyError {
            return .error(transaction: request.transaction, error.fitted(to: request))
        } catch {
            let sorry = ReplyError(code: .internal, message: "history cannot read its store now; ask again later")
            return .error(transaction: request.transaction, sorry)
        }
    }

    /// The present minute, held within the calendar whatever the clock says.
    func nowMinute(_ nowSeconds: Double) -> Int64 {
        min(Int64(clampingSeconds: nowSeconds) / 60, DayCalendar.countedMinutes.upperBound)
    }

    /// The data of a request that says how long a reply may be: as many records as fit, and a cursor to the others.
    private func fittedData(
        for request: HistoryRequest, _ asker: Asker?, nowSeconds: Double
    ) async throws -> [UInt8] {
        guard let maximum = request.maximumReplyBytes else {
            return try await data(for: request, asker, nowSeconds: nowSeconds)
        }
        var request = request
        if request.verb.hasPages {
            request.limit = min(request.limit ?? .max, maximum / Self.minimumRecordBytes)
        }
        while true {
            let data = try await data(for: request, asker, nowSeconds: nowSeconds)
            let size = HistoryReply.ok(transaction: request.transaction, data: data).encodedJSON().count
            guard size > maximum else { return data }
            guard let limit = request.limit, limit > 1, request.verb.hasPages else {
                throw ReplyError(
                    code: .tooLarge,
                    message:
                        "\(size) bytes are more than 'max_bytes'; \(request.isCompact ? "raise it" : "add 'compact'")")
            }
            request.limit = max(1, min(limit - 1, limit * maximum / size))
        }
    }

    /// No record of any form is shorter, in bytes.
    private static var minimumRecordBytes: Int { 12 }

    private func data(for request: HistoryRequest, _ asker: Asker?, nowSeconds: Double) async throws -> [UInt8] {
        let nowMinute = nowMinute(nowSeconds)
        return switch request.verb {
        case .historyDays: try await days(request, nowMinute: nowMinute).encodedJSON(request)
        case .historyInterval: try await interval(request, nowMinute: nowMinute).encodedJSON(request)
        case .historySeries: try await series(request, nowMinute: nowMinute).encodedJSON(request)
        case .devices: try await devices(request).encodedJSON(request)
        case .capabilities: try await capabilities(request).encodedJSON()
        case .historyActivity: try await activity(request, nowMinute: nowMinute).encodedJSON(request)
        case .liveStart: try await startLive(request, asker, nowSeconds: nowSeconds).encodedJSON()
        case .liveStop: try await stopLive(request, asker).encodedJSON()
        case .people: try await people(request, nowMinute: nowMinute)
        case .peopleCheckin: try await checkIn(request, nowMinute: nowMinute).encodedJSON()
        case .peopleCheckout: try await checkOut(request, nowMinute: nowMinute).encodedJSON()
        case .peopleForget: try await forgetPerson(request, nowMinute: nowMinute).encodedJSON()
        case .devicesForget: try await forgetDevice(request, nowMinute: nowMinute).encodedJSON()
        }
    }

    /// Whom and whose days a request is about.
    func subject(of request: HistoryRequest) async throws -> (record: DeviceRecord, calendar: DayCalendar) {
        let device = try Self.device(of: request)
        let record = try await store.device(device) ?? DeviceRecord(device: device)
        return (record, try calendar(request, of: record.settings))
    }

    /// Whom a request is about, and the days with data from one date up to another, which is not included.
    func subject(
        of request: HistoryRequest, withDaysFrom first: LocalDate, to end: LocalDate
    ) async throws -> (record: DeviceRecord, days: [DayRecord]) {
        let device = try Self.device(of: request)
        return try await store.device(device, withDaysFrom: first, to: end) ?? (DeviceRecord(device: device), [])
    }

    private static func device(of request: HistoryRequest) throws(ReplyError) -> DeviceID {
        guard let device = request.device else {
            throw ReplyError(code: .badRequest, message: "'device' is missing; give an id such as \"bike-07\"")
        }
        return device
    }

    /// The calendar that a request is about: that of the zone it names, or that of a device.
    func calendar(_ request: HistoryRequest, of settings: DeviceSettings) throws(ReplyError) -> DayCalendar {
        guard let zone = request.zone else { return DayCalendar(settings, defaultZone: defaultZone) }
        do { return try DayCalendar(zone: zone, dayStartMinutes: settings.dayStartMinutes) } catch {
            throw ReplyError(code: .badRequest, message: "'zone': \(error)")
        }
    }
}

extension CompactPayload {
    /// The data in the form that a request asks for.
    func encodedJSON(_ request: HistoryRequest) -> [UInt8] {
        request.isCompact ? compact.encodedJSON() : encodedJSON()
    }
}

extension RequestVerb {
    /// Whether the reply is a list that comes in pages.
    fileprivate var hasPages: Bool {
        switch self {
        case .historyDays, .historySeries, .historyActivity, .devices, .people: true
        case .historyInterval, .liveStart, .liveStop, .capabilities, .peopleCheckin, .peopleCheckout, .peopleForget,
            .devicesForget:
            false
        }
    }
}

extension ReplyError {
    /// The error with as much of its sentence as fits.
    fileprivate func fitted(to request: HistoryRequest) -> ReplyError {
        guard let maximum = request.maximumReplyBytes else { return self }
        var error = self
        while HistoryReply.error(transaction: request.transaction, error).encodedJSON().count > maximum,
            !error.message.isEmpty
        {
            error.message.removeLast()
        }
        return error
    }
}
