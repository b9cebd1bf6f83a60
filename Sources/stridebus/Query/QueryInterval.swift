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
        table.append(["strides", "\(data.strides)"])
        table.append(["revolutions", "\(data.revolutions)"])
        table.append(["distance", DecimalText.fixed(data.distanceMetres, decimals: 1) + " m"])
        table.append(["active", DecimalText.clock(seconds: data.activeSeconds)])
        table.append(["covered", DecimalText.clock(seconds: data.coveredSeconds)])
        if let rpm = data.rpm { append(rpm, "rpm", to: &table) }
        if let spm = data.spm { append(spm, "spm", to: &table) }
        if let pace = data.paceAverageSecondsPerMetre {
            table.append(["pace", DecimalText.fixed(pace, decimals: 2) + " s/m"])
        }
        if let speed = data.speedAverageKilometresPerHour {
            table.append(["speed", DecimalText.fixed(speed, decimals: 1) + " km/h"])
        }
        if let ascended = data.floorsAscended, let descended = data.floorsDescended {
            table.append(["floors", "\(ascended) up, \(descended) down"])
        }
        let times = [data.from, data.to].map { TimePoint.instant(seconds: $0).text }
        table.append([data.cutsResolution ? "whole minutes" : "time", times.joined(separator: " to ")])
        return table
    }

    private static func append(_ cadence: CadenceFigures, _ unit: String, to table: inout TextTable) {
        for (name, value) in [
            ("cadence", cadence.average), ("lowest", cadence.minimum), ("highest", cadence.maximum),
        ] {
            table.append([name, "\(DecimalText.fixed(value, decimals: 1)) \(unit)"])
        }
    }
}
