import ArgumentParser
import Console
import Wire

/// Totals a calendar day.
struct QueryDays: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Totals of each calendar day in the device's zone (default: the last 7 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(
            verb: .historyDays, device: stretch.device, from: stretch.from, to: stretch.to)
        try await options.askAll(request, as: DaysData.self, table: Self.table)
    }

    private static func table(_ data: DaysData) -> TextTable {
        let floors = FloorColumns(data.days.map(\.floors))
        var table = TextTable(
            columns: [
                .words("date"), .numbers("steps"), .numbers("revolutions"), .numbers("km"), .numbers("active"),
                .numbers("covered"),
            ] + floors.columns + [.words("zone"), .words("")])
        let totals = data.days.map { Double($0.steps + $0.revolutions) }
        for (index, day) in data.days.enumerated() {
            table.append(
                [
                    day.date, "\(day.steps)", "\(day.revolutions)",
                    DecimalText.fixed(day.distanceMetres / 1000, decimals: 2),
                    DecimalText.clock(seconds: day.activeSeconds), DecimalText.clock(seconds: day.coveredSeconds),
                ] + floors.cells(day.floors) + [
                    day.zone, Sparkline.text([totals.max() ?? 0, totals[index]]).suffix(1).description,
                ])
        }
        return table
    }
}
