public import Wire

extension StrideBus {
    /// The totals of each calendar day of a device's zone, from a date (included) to a date (not included).
    ///
    /// - Throws: `StrideClientError`.
    public func days(device: DeviceID, from: TimePoint? = nil, to: TimePoint? = nil) async throws -> DaysData {
        try await ask(HistoryRequest(verb: .historyDays, device: device, from: from, to: to), for: DaysData.self)
    }

    /// One record for an interval, `from` included, `to` not.
    ///
    /// - Throws: `StrideClientError`.
    public func interval(device: DeviceID, from: TimePoint, to: TimePoint) async throws -> IntervalData {
        try await ask(
            HistoryRequest(verb: .historyInterval, device: device, from: from, to: to), for: IntervalData.self)
    }

    /// An interval in buckets.
    ///
    /// - Throws: `StrideClientError`.
    public func series(
        device: DeviceID, from: TimePoint, to: TimePoint, bucket: Bucket
    ) async throws -> SeriesData {
        try await ask(
            HistoryRequest(verb: .historySeries, device: device, from: from, to: to, bucket: bucket),
            for: SeriesData.self)
    }

    /// The devices that history knows, page after page.
    ///
    /// - Throws: `StrideClientError`.
    public func devices() async throws -> [DeviceEntry] {
        var entries: [DeviceEntry] = []
        var cursor: String?
        repeat {
            let page = try await ask(HistoryRequest(verb: .devices, cursor: cursor), for: DevicesData.self)
            entries += page.devices
            cursor = page.cursor
        } while cursor != nil
        return entries
    }

    /// What is available on a device, and if not why.
    ///
    /// - Throws: `StrideClientError`.
    public func capabilities(device: DeviceID) async throws -> CapabilitiesData {
        try await ask(HistoryRequest(verb: .capabilities, device: device), for: CapabilitiesData.self)
    }

    func ask<Data: JSONPayload>(_ request: HistoryRequest, for: Data.Type) async throws -> Data {
        let data = try await ask(request)
        do { return try Data(json: data) } catch { throw StrideClientError.unreadableReply(error) }
    }
}
