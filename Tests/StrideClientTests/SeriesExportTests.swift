import MQTT
import StrideClient
import Testing

@testable import Wire

@Suite("Exported lines")
struct SeriesExportTests {
    static let bucket = SeriesBucket(
        start: 1_795_194_000,
        totals: Totals(steps: 110, distanceMetres: 80.25, activeSeconds: 60, coveredSeconds: 60),
        spm: CadenceFigures(average: 111.5, minimum: 100, maximum: 118))

    @Test("A line of CSV has as many values as its heading has names, and what is not known is empty")
    func csv() throws {
        let export = SeriesExport(device: try DeviceID("watch-3"), format: .csv)
        let line = try #require(export.line(Self.bucket))
        #expect(line == "watch-3,2026-11-20T17:00:00Z,110,0,80.25,,111.5,60,60,,")
        var climbed = Self.bucket
        climbed.floors = FloorCounts(ascended: 2, descended: 1)
        #expect(export.line(climbed)?.hasSuffix(",60,60,2,1") == true)
        let heading = try #require(export.heading)
        #expect(
            heading.split(separator: ",").count == line.split(separator: ",", omittingEmptySubsequences: false).count)
    }

    @Test("A JSON line is an object that reads back as the bucket")
    func jsonl() throws {
        let export = SeriesExport(device: try DeviceID("watch-3"), format: .jsonl)
        #expect(export.heading == nil)
        let line = try #require(export.line(Self.bucket))
        #expect(line.hasPrefix(#"{"device":"watch-3","start":1795194000,"#))
        #expect(try SeriesBucket(json: Array(line.utf8)) == Self.bucket)
    }

    @Test("A bucket about which nothing is known is no line", arguments: SeriesExport.Format.allCases)
    func nothing(format: SeriesExport.Format) throws {
        let export = SeriesExport(device: try DeviceID("watch-3"), format: format)
        #expect(export.line(SeriesBucket(start: 1_795_194_000)) == nil)
    }

    @Test("Pages of a series are asked for one after the other until there is none")
    func pages() async throws {
        let scene = try await Scene(version: .v5)
        let client = scene.client
        let device = scene.first
        let answering = Task {
            try await scene.each { _, request in
                let isLast = request.cursor == "2"
                let start = request.cursor.flatMap(Double.init) ?? 0
                let data = SeriesData(
                    device: device, bucket: .minute, buckets: [SeriesBucket(start: start * 60)],
                    cursor: isLast ? nil : "\(Int(start) + 1)")
                try await scene.reply(to: request, data)
                return isLast
            }
        }
        var starts: [Double] = []
        for try await page in client.seriesPages(
            device: device, from: .instant(seconds: 0), to: .instant(seconds: 180), bucket: .minute)
        {
            starts += page.buckets.map(\.start)
        }
        #expect(starts == [0, 60, 120])
        _ = try await answering.value
        await scene.end()
    }
}
