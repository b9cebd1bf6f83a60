import Synchronization
package import Wire

/// The data of an answer that may be too long for one message: records, and where the next page begins.
package protocol PagedData: JSONPayload {
    /// The beginning of the next page; nil on the last.
    var cursor: String? { get set }
    /// Adds the records of the next page.
    mutating func appendRecords(of next: Self)
}

extension PagedData {
    mutating func append(_ next: Self) {
        appendRecords(of: next)
        cursor = next.cursor
    }
}

extension DaysData: PagedData {
    package mutating func appendRecords(of next: DaysData) { days += next.days }
}

extension SeriesData: PagedData {
    package mutating func appendRecords(of next: SeriesData) { buckets += next.buckets }
}

extension ActivityData: PagedData {
    package mutating func appendRecords(of next: ActivityData) { segments += next.segments }
}

extension DevicesData: PagedData {
    package mutating func appendRecords(of next: DevicesData) { devices += next.devices }
}

extension PersonData: PagedData {
    package mutating func appendRecords(of next: PersonData) { buckets += next.buckets }
}

extension PeopleData: PagedData {
    package mutating func appendRecords(of next: PeopleData) { people += next.people }
}

extension CompactData: PagedData {
    package mutating func appendRecords(of next: CompactData) { rows += next.rows }
}

/// A position in an answer that is read page by page.
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

extension StrideBus {
    /// An answer of any size, page after page, as they are taken.
    ///
    /// - Parameter request: what is asked; its `limit` is the most records of a page, as many as fit without one.
    package func pages<Page: PagedData>(
        of request: HistoryRequest, as: Page.Type = Page.self
    ) -> AsyncThrowingStream<Page, any Error> {
        let pages = Pages<Page>(bus: self, request: request)
        return AsyncThrowingStream { try await pages.next() }
    }

    /// An answer of any size as a whole: all its pages, one after the other.
    ///
    /// - Throws: `StrideClientError`.
    package func askAll<Page: PagedData>(
        _ request: HistoryRequest, as: Page.Type = Page.self
    ) async throws -> Page {
        let pages = Pages<Page>(bus: self, request: request)
        guard var whole = try await pages.next() else { throw StrideClientError.closed }
        while let page = try await pages.next() { whole.append(page) }
        return whole
    }
}
