public import ArgumentParser
import Console
public import Wire

extension Bucket: ExpressibleByArgument {}

/// An interval in buckets.
struct QuerySeries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "An interval in buckets of minutes, hours, days, weeks or months.")

    @OptionGroup var stretch: StretchOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(
            verb: .historySeries, device: stretch.device, from: stretch.from, to: stretch.to, bucket: bucket)
        try await options.askAll(request, as: SeriesData.self, table: Self.table)
    }

    private static func table(_ data: SeriesData) -> TextTable {
        let floors = FloorColumns(data.buckets.map(\.floors))
        var table = TextTable(
            columns: [
                .words("start"), .numbers("steps"), .numbers("revolutions"), .numbers("rpm"), .numbers("spm"),
                .numbers("active"), .numbers("covered"),
            ] + floors.columns)
        for bucket in data.buckets {
            let cells = [
                TimePoint.instant(seconds: bucket.start).text, "\(bucket.steps)", "\(bucket.revolutions)",
                bucket.rpm.map { DecimalText.fixed($0.average, decimals: 1) } ?? "",
                bucket.spm.map { DecimalText.fixed($0.average, decimals: 1) } ?? "",
                DecimalText.clock(seconds: bucket.activeSeconds), DecimalText.clock(seconds: bucket.coveredSeconds),
            ]
            table.append(cells + floors.cells(bucket.floors))
        }
        return table
    }
}
