import StrideClient
import Testing

@testable import Wire

@Suite("The share of an export that is done")
struct ExportedShareTests {
    @Test("It grows with each page from the first bucket to the end of the stretch, and the last page completes it")
    func grows() throws {
        var share = ExportedShare(to: .instant(seconds: 1_000))
        #expect(share.share(after: try page(0, 100)) == 0.1)
        #expect(share.share(after: try page(100, 500)) == 0.5)
        #expect(share.share(after: try page(500, 980, isLast: true)) == 1)
    }

    @Test("A local date is taken as one of UTC, and what lies beyond it is all")
    func localDate() throws {
        var share = ExportedShare(to: .localDate(year: 1970, month: 1, day: 2))
        #expect(share.share(after: try page(0, 43_200)) == 0.5)
        #expect(share.share(after: try page(43_200, 90_000)) == 1)
    }

    private func page(_ first: Double, _ last: Double, isLast: Bool = false) throws -> SeriesData {
        SeriesData(
            device: try DeviceID("watch-3"), bucket: .minute,
            buckets: [SeriesBucket(start: first), SeriesBucket(start: last)], cursor: isLast ? nil : "next")
    }
}
