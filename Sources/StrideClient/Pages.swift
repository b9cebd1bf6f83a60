import Synchronization
import Wire

/// Where a series is that is read page by page.
final class Pages: Sendable {
    private let bus: StrideBus
    private let request: Mutex<HistoryRequest?>

    init(bus: StrideBus, request: HistoryRequest) {
        self.bus = bus
        self.request = Mutex(request)
    }

    /// The next page; nil after the last.
    func next() async throws -> SeriesData? {
        guard var request = request.withLock({ $0 }) else { return nil }
        let page = try await bus.ask(request, for: SeriesData.self)
        request.cursor = page.cursor
        self.request.withLock { $0 = page.cursor == nil ? nil : request }
        return page
    }
}
