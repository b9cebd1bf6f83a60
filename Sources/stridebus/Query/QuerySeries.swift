public import ArgumentParser
import Lab
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
        var request = stretch.request(.historySeries)
        request.bucket = bucket
        try await options.askAll(request, as: SeriesData.self, table: Self.table)
    }

    private static func table(_ data: SeriesData, _ clock: LocalClock) -> TextTable {
        let rows = data.buckets.map { CountColumns.Row($0) }
        let counts = CountColumns(rows)
        var table = TextTable(columns: [.words("start (\(clock.zone))")] + counts.columns)
        table.append(
            zip(data.buckets, rows).map { bucket, row in
                ([clock.text(bucket.start, of: data.bucket)] + counts.cells(row), row.isEmpty)
            })
        return table
    }
}
