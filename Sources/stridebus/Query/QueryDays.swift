import ArgumentParser
import Lab
import Wire

/// Totals a calendar day.
struct QueryDays: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Totals of each calendar day in the device's zone (default: the last 7 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(stretch.request(.historyDays), as: DaysData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DaysData) -> TextTable {
        let rows = data.days.map { CountColumns.Row($0) }
        let counts = CountColumns(rows)
        var table = TextTable(columns: [.words("date")] + counts.columns + [.words("zone"), .words("")])
        let totals = rows.map { Double($0.steps + $0.revolutions) }
        let largest = totals.max() ?? 0
        table.append(
            data.days.indices.map { index in
                let (day, row) = (data.days[index], rows[index])
                let bar = String(Sparkline.bar(totals[index], ofLargest: largest))
                return ([day.date] + counts.cells(row) + [day.zone, bar], row.isEmpty)
            })
        return table
    }
}
