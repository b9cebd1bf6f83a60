public import Wire

/// How much of a stretch of time the pages of a series have brought.
public struct ExportedShare: Sendable {
    private var start: Double?
    private let end: Double

    /// Nothing so far of a stretch that ends at a time. The end of a local date's day before is taken as that of UTC:
    /// nearly enough for a bar of progress.
    public init(to: TimePoint) {
        switch to {
        case .instant(let seconds): end = seconds
        case .localDate(let year, let month, let day):
            let text = TimePoint.localDate(year: year, month: month, day: day).text + "T00:00:00Z"
            if case .instant(let seconds)? = try? TimePoint(parsing: text) { end = seconds } else { end = 0 }
        }
    }

    /// The share, 0 to 1, that the pages have brought with this one, the next.
    public mutating func share(after page: SeriesData) -> Double {
        let first = page.buckets.first?.start ?? end
        let start = self.start ?? first
        self.start = start
        guard page.cursor != nil else { return 1 }
        guard let last = page.buckets.last?.start, end > start else { return 0 }
        return min(max((last - start) / (end - start), 0), 1)
    }
}
