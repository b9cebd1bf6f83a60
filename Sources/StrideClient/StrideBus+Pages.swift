public import Wire

extension StrideBus {
    /// An answer of any size, page after page, as they are taken.
    ///
    /// - Parameters:
    ///   - request: what is asked; its `limit` is the most records of a page, as many as fit without one.
    ///   - timeoutSeconds: how long to wait for each page.
    public func pages<Page: PagedData>(
        of request: HistoryRequest, as: Page.Type = Page.self,
        timeoutSeconds: Double = StrideBus.usualTimeoutSeconds
    ) -> AsyncThrowingStream<Page, any Error> {
        let pages = Pages<Page>(bus: self, request: request, timeoutSeconds: timeoutSeconds)
        return AsyncThrowingStream { try await pages.next() }
    }

    /// An answer of any size as a whole: all its pages, one after the other.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - timeoutSeconds: how long to wait for each page.
    /// - Throws: `StrideClientError`.
    public func askAll<Page: PagedData>(
        _ request: HistoryRequest, as: Page.Type = Page.self,
        timeoutSeconds: Double = StrideBus.usualTimeoutSeconds
    ) async throws -> Page {
        let pages = Pages<Page>(bus: self, request: request, timeoutSeconds: timeoutSeconds)
        guard var whole = try await pages.next() else { throw StrideClientError.closed }
        while let page = try await pages.next() { whole.append(page) }
        return whole
    }
}
