import Wire

extension HistoryAnswers {
    /// The most devices of one reply.
    static var maximumDevices: Int { 250 }

    /// `devices`: those with data, by their ids, in pages of `limit`.
    func devices(_ request: HistoryRequest) async throws -> DevicesData {
        let limit = min(request.limit ?? Self.maximumDevices, Self.maximumDevices)
        let page = try await store.devices(after: try Self.last(request.cursor), limit: limit)
        return DevicesData(
            devices: page.compactMap { DeviceEntry($0, defaultZone: defaultZone) },
            cursor: page.count == limit ? page.last?.device.description : nil)
    }

    private static func last(_ cursor: String?) throws(ReplyError) -> DeviceID? {
        guard let cursor else { return nil }
        do { return try DeviceID(cursor) } catch {
            throw ReplyError(code: .badRequest, message: "'cursor' is not the one of the page before this")
        }
    }
}

extension DeviceEntry {
    /// A device as the bus says it; nil as long as only its settings are known.
    init?(_ record: DeviceRecord, defaultZone: DayCalendar) {
        guard let first = record.firstMinute, let last = record.lastMinute else { return nil }
        self.init(
            device: record.device, kind: DeviceKind(rawValue: record.settings.kind) ?? .unknown,
            placement: record.settings.placement, zone: record.settings.zone ?? defaultZone.zone,
            firstT: Double(first) * 60, lastT: Double(last + 1) * 60, steps: UInt64(clamping: record.counts.steps),
            revolutions: UInt64(clamping: record.counts.revolutions))
    }
}

extension DeviceSettings {
    /// What history needs of a device's configuration; a zone that nobody knows is refused.
    init(_ config: DeviceConfig) throws(WireError) {
        if let zone = config.zone {
            do { _ = try DayCalendar(zone: zone) } catch { throw .outOfRange }
        }
        self.init(
            kind: config.kind.rawValue, placement: config.placement == "unknown" ? nil : config.placement,
            zone: config.zone, dayStartMinutes: config.dayStartMinutes)
    }
}
