import Wire

/// Answers requests from the store. Nothing known is zeros with `"covered_s": 0`, not an error: history cannot tell a
/// device that was never switched on from one that does not exist.
///
/// A zone named in the request counts before the device's own; local dates are days of that zone, beginning at the
/// device's start of day.
struct HistoryAnswers<Store: HistoryStore>: Sendable {
    let store: Store
    let defaultZone: DayCalendar

    /// The answer to a request; `asker` is needed only for notices.
    func answer(_ request: HistoryRequest, from asker: Asker? = nil, nowSeconds: Double) async -> HistoryReply {
        do {
            let data = try await data(for: request, asker, nowSeconds: nowSeconds)
            return .ok(transaction: request.transaction, data: data)
        } catch let error as ReplyError {
            return .error(transaction: request.transaction, error)
        } catch {
            let sorry = ReplyError(code: .internal, message: "history cannot read its store now; ask again later")
            return .error(transaction: request.transaction, sorry)
        }
    }

    /// The present minute, held within the calendar whatever the clock says.
    func nowMinute(_ nowSeconds: Double) -> Int64 {
        min(Int64(clampingSeconds: nowSeconds) / 60, DayCalendar.countedMinutes.upperBound)
    }

    private func data(for request: HistoryRequest, _ asker: Asker?, nowSeconds: Double) async throws -> [UInt8] {
        let nowMinute = nowMinute(nowSeconds)
        return switch request.verb {
        case .historyDays: try await days(request, nowMinute: nowMinute).encodedJSON()
        case .historyInterval: try await interval(request, nowMinute: nowMinute).encodedJSON()
        case .historySeries: try await series(request, nowMinute: nowMinute).encodedJSON()
        case .devices: try await devices(request).encodedJSON()
        case .capabilities: try await capabilities(request).encodedJSON()
        case .historyActivity: try await activity(request, nowMinute: nowMinute).encodedJSON()
        case .liveStart: try await startLive(request, asker, nowSeconds: nowSeconds).encodedJSON()
        case .liveStop: try await stopLive(request, asker).encodedJSON()
        case .people: try await people(request, nowMinute: nowMinute)
        case .peopleCheckin: try await checkIn(request, nowMinute: nowMinute).encodedJSON()
        case .peopleCheckout: try await checkOut(request, nowMinute: nowMinute).encodedJSON()
        case .peopleForget, .devicesForget:
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
        return (record, try calendar(request, of: record.settings))
    }

    /// The calendar that a request is about: that of the zone it names, or that of a device.
    func calendar(_ request: HistoryRequest, of settings: DeviceSettings) throws(ReplyError) -> DayCalendar {
        guard let zone = request.zone else { return DayCalendar(settings, defaultZone: defaultZone) }
        do { return try DayCalendar(zone: zone, dayStartMinutes: settings.dayStartMinutes) } catch {
            throw ReplyError(code: .badRequest, message: "'zone': \(error)")
        }
    }
}
