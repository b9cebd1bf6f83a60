import ArgumentParser
import Console
import Wire

/// One record for an interval.
struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval.")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(
            verb: .historyInterval, device: stretch.device, from: stretch.from, to: stretch.to)
        try await options.ask(request, as: IntervalData.self, table: Self.table)
    }

    private static func table(_ data: IntervalData) -> TextTable {
        var table = TextTable(columns: [.words("what"), .numbers("value")])
        table.append(["steps", "\(data.steps)"])
        table.append(["revolutions", "\(data.revolutions)"])
        table.append(["distance", DecimalText.fixed(data.distanceMetres, decimals: 1) + " m"])
        table.append(["active", DecimalText.clock(seconds: data.activeSeconds)])
        table.append(["covered", DecimalText.clock(seconds: data.coveredSeconds)])
        if let rpm = data.cadenceAverageRPM { table.append(["cadence", DecimalText.fixed(rpm, decimals: 1) + " rpm"]) }
        if let spm = data.cadenceAverageSPM { table.append(["cadence", DecimalText.fixed(spm, decimals: 1) + " spm"]) }
        if let pace = data.paceAverageSecondsPerMetre {
            table.append(["pace", DecimalText.fixed(pace, decimals: 2) + " s/m"])
        }
        return table
    }
}
