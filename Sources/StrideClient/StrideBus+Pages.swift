public import Wire

extension StrideBus {
    /// An answer of any size, page after page, as they are taken.
    ///
    /// - Parameter request: what is asked; its `limit` is the most records of a page, as many as fit without one.
    public func pages<Page: PagedData>(
        of request: HistoryRequest, as: Page.Type = Page.self
    ) -> AsyncThrowingStream<Page, any Error> {
        let pages = Pages<Page>(bus: self, request: request)
        return AsyncThrowingStream { try await pages.next() }
    }

    /// An answer of any size as a whole: all its pages, one after the other.
    ///
    /// - Throws: `StrideClientError`.
    public func askAll<Page: PagedData>(
        _ request: HistoryRequest, as: Page.Type = Page.self
    ) async throws -> Page {
        let pages = Pages<Page>(bus: self, request: request)
        guard var whole = try await pages.next() else { throw StrideClientError.closed }
        while let page = try await pages.next() { whole.append(page) }
        return whole
    }
}
