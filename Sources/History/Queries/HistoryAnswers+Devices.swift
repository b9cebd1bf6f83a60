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
