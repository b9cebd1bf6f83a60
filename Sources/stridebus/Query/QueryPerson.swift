import ArgumentParser
import Lab
import Wire

/// A person's totals.
struct QueryPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "What all devices of a person together say, each minute from one of them (default: the last 7 days).")

    @Argument(help: "The person.")
    var person: String

    @OptionGroup var times: TimeOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .day

    @Flag(help: "Show what each device said, and how much of it was taken.")
    var bySource = false

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = times.request(.people)
        (request.bucket, request.person) = (bucket, person)
        try await options.askAll(request, as: PersonData.self) { data, _ in
            table(data)
        } note: {
            Self.unknown($0)
        }
    }

    /// Nothing is known of a person who does not exist, which is no error: but whoever has mistyped a name wants to
    /// know.
    private static func unknown(_ data: PersonData) -> String? {
        guard data.buckets.allSatisfy(\.sources.isEmpty) else { return nil }
        return "'\(data.person)' had no device then; 'stridebus query people' lists who has which"
    }

    private func table(_ data: PersonData) -> TextTable {
        let clock = LocalClock(zone: data.zone)
        let rows = data.buckets.map { CountColumns.Row($0) }
        let counts = CountColumns(rows)
        let device: [TextTable.Column] = bySource ? [.words("device")] : []
        var table = TextTable(columns: [.words("start (\(clock.zone))")] + device + counts.columns)
        let lines = zip(data.buckets, rows).flatMap { bucket, row in
            let total = (
                [clock.text(bucket.start, of: data.bucket)] + (bySource ? [""] : []) + counts.cells(row), row.isEmpty
            )
            return [total] + (bySource ? bucket.sources : []).map { (cells(of: $0, counts), false) }
        }
        table.append(lines)
        return table
    }

    private func cells(of source: SourceShare, _ counts: CountColumns) -> [String] {
        ["", source.device.description]
            + counts.cells([
                .steps: "\(source.stepsUsed) of \(source.steps)",
                .revolutions: "\(source.revolutionsUsed) of \(source.revolutions)",
                .covered: DecimalText.clock(seconds: source.coveredSeconds),
            ])
    }
}
