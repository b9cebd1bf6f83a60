import Wire

/// Answers requests from the store. Nothing known is zeros with `"covered_s": 0`, not an error: history cannot tell a
/// device that was never switched on from one that does not exist.
///
/// A zone named in the request counts before the device's own; local dates are days of that zone, beginning at the
/// device's start of day.
struct HistoryAnswers<Store: HistoryStore>: Sendable {
    let store: Store
    let defaultZone: DayCalendar

    /// The answer to a request.
    func answer(_ request: HistoryRequest, nowSeconds: Double) async -> HistoryReply {
        do {
            let nowMinute = min(Int64(clampingSeconds: nowSeconds) / 60, DayCalendar.countedMinutes.upperBound)
            let data = try await data(for: request, nowMinute: nowMinute)
            return .ok(transaction: request.transaction, data: data)
        } catch let error as ReplyError {
            return .error(transaction: request.transaction, error)
        } catch {
            let sorry = ReplyError(code: .internal, message: "history cannot read its store now; ask again later")
            return .error(transaction: request.transaction, sorry)
        }
    }

    private func data(for request: HistoryRequest, nowMinute: Int64) async throws -> [UInt8] {
        switch request.verb {
        case .historyDays: try await days(request, nowMinute: nowMinute).encodedJSON()
        case .historyInterval: try await interval(request, nowMinute: nowMinute).encodedJSON()
        case .historySeries: try await series(request, nowMinute: nowMinute).encodedJSON()
        case .devices: try await devices(request).encodedJSON()
        case .capabilities: try await capabilities(request).encodedJSON()
        case .historyActivity, .liveStart, .liveStop, .people:
            throw ReplyError(
                code: .notAvailable,
                message: "'\(request.verb.rawValue)' is not available from this version; \(ReplyError.verbs) are")
        }
    }

    /// Whom and whose days a request is about.
    func subject(of request: HistoryRequest) async throws -> (record: DeviceRecord, calendar: DayCalendar) {
        guard let device = request.device else {
            throw ReplyError(code: .badRequest, message: "'device' is missing; give an id such as \"bike-07\"")
        }
        let record = try await store.device(device) ?? DeviceRecord(device: device)
        guard let zone = request.zone else {
            return (record, DayCalendar(record.settings, defaultZone: defaultZone))
        }
        do {
            return (record, try DayCalendar(zone: zone, dayStartMinutes: record.settings.dayStartMinutes))
        } catch {
            throw ReplyError(code: .badRequest, message: "'zone': \(error)")
        }
    }
}
