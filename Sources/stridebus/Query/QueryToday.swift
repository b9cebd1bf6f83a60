import ArgumentParser
import Lab
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
        try await options.askAll(request, as: DaysData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DaysData) -> TextTable {
        let days = data.days.map { CountColumns.Row($0) }
        let zone = data.days.last?.zone ?? "UTC"
        var table = TextTable(columns: [
            .words("\(data.device)"), .numbers(data.days.last?.date ?? "today"), .words("last \(days.count) days"),
            .numbers("together (\(zone))"),
        ])
        let sum = days.reduce(into: CountColumns.Row()) { $0 += $1 }
        for column in CountColumns(days).shown where column != .covered {
            table.append([
                column == .floorsDown ? "floors down" : column.title, days.last.map(column.text) ?? "",
                Sparkline.text(days.map(column.value)), column.text(sum),
            ])
        }
        return table
    }
}

extension CountColumns.Row {
    fileprivate static func += (sum: inout Self, day: Self) {
        sum.steps += day.steps
        sum.revolutions += day.revolutions
        sum.distanceMetres += day.distanceMetres
        sum.activeSeconds += day.activeSeconds
        sum.coveredSeconds += day.coveredSeconds
        guard let floors = day.floors else { return }
        sum.floors = FloorCounts(
            ascended: (sum.floors?.ascended ?? 0) + floors.ascended,
            descended: (sum.floors?.descended ?? 0) + floors.descended)
    }
}

extension CountColumns.Column {
    /// The height of a day's bar.
    fileprivate func value(_ day: CountColumns.Row) -> Double {
        switch self {
        case .steps: Double(day.steps)
        case .revolutions: Double(day.revolutions)
        case .kilometres: day.distanceMetres
        case .rpm: day.rpm ?? 0
        case .spm: day.spm ?? 0
        case .active: day.activeSeconds
        case .covered: day.coveredSeconds
        case .floorsUp: Double(day.floors?.ascended ?? 0)
        case .floorsDown: Double(day.floors?.descended ?? 0)
        }
    }
}
