import ArgumentParser
import Lab
import Wire

/// What the wearer did.
struct QueryActivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "What the wearer did, stretch after stretch (default: today).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(stretch.request(.historyActivity), as: ActivityData.self, table: Self.table)
    }

    private static func table(_ data: ActivityData, _ clock: LocalClock) -> TextTable {
        let rows = data.segments.map { CountColumns.Row(steps: $0.steps, revolutions: $0.revolutions) }
        let counts = CountColumns(rows)
        let columns = zip(counts.shown, counts.columns).filter { $0.0 == .steps || $0.0 == .revolutions }
        var table = TextTable(
            columns: [
                .words("start (\(clock.zone))"), .numbers("lasted"), .words("activity"), .words("confidence"),
            ] + columns.map(\.1))
        for (segment, row) in zip(data.segments, rows) {
            table.append(
                [
                    clock.text(segment.start), DecimalText.clock(seconds: segment.end - segment.start),
                    segment.activity.name, segment.confidence.rawValue,
                ] + columns.map { $0.0.text(row) })
        }
        return table
    }
}
