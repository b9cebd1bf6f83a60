import Synchronization
import Wire

/// Where an answer is that is read page by page.
final class Pages<Page: PagedData>: Sendable {
    private let bus: StrideBus
    private let request: Mutex<HistoryRequest?>

    /// Pages as large as they come, unless the request says how large.
    init(bus: StrideBus, request: HistoryRequest) {
        self.bus = bus
        var request = request
        request.limit = request.limit ?? PayloadLimits.maximumRecords
        self.request = Mutex(request)
    }

    /// The next page; nil after the last.
    func next() async throws -> Page? {
        guard var request = request.withLock({ $0 }) else { return nil }
        let page = try await bus.ask(request, for: Page.self)
        // A page that says that it comes next itself would come for ever.
        guard page.cursor == nil || page.cursor != request.cursor else {
            throw StrideClientError.unreadableReply(.outOfRange)
        }
        request.cursor = page.cursor
        self.request.withLock { $0 = page.cursor == nil ? nil : request }
        return page
    }
}
