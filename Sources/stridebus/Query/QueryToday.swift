import ArgumentParser
import Console
import Wire

/// Today, and the week that it is in.
struct QueryToday: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Today's totals by the device's own calendar, and the last seven days as bars.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .historyDays, device: device)
        try await options.askAll(request, as: DaysData.self, table: Self.table)
    }

    private static func table(_ data: DaysData) -> TextTable {
        var table = TextTable(columns: [
            .words("what"), .numbers("today"), .words("last \(data.days.count) days"), .numbers("sum"),
        ])
        var rows: [(String, (DayTotals) -> Double, (Double) -> String)] = [
            ("steps", { Double($0.steps) }, { DecimalText.fixed($0, decimals: 0) }),
            ("revolutions", { Double($0.revolutions) }, { DecimalText.fixed($0, decimals: 0) }),
            ("km", { $0.distanceMetres / 1000 }, { DecimalText.fixed($0, decimals: 2) }),
            ("active", { $0.activeSeconds }, { DecimalText.clock(seconds: $0) }),
        ]
        if data.days.contains(where: { $0.floors != nil }) {
            rows += [
                ("floors up", { Double($0.floors?.ascended ?? 0) }, { DecimalText.fixed($0, decimals: 0) }),
                ("floors down", { Double($0.floors?.descended ?? 0) }, { DecimalText.fixed($0, decimals: 0) }),
            ]
        }
        for (name, value, text) in rows {
            let values = data.days.map(value)
            table.append([
                name, text(values.last ?? 0), Sparkline.text(values), text(values.reduce(0, +)),
            ])
        }
        return table
    }
}
