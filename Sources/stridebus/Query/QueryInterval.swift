import ArgumentParser
import Lab
import Wire

/// One record for an interval.
struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval (default: since the day began).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.ask(stretch.request(.historyInterval), as: IntervalData.self, table: Self.table)
    }

    private static func table(_ data: IntervalData, _ clock: LocalClock) -> TextTable {
        var table = TextTable(columns: [.words("what"), .words("\(data.device)")])
        table.append(["from", "\(clock.text(data.from)) (\(clock.zone))"])
        table.append(["to", clock.text(data.to)])
        if data.cutsResolution {
            let unit = data.resolutionSeconds == 60 ? "minutes" : "hours"
            table.append(["", "rounded up: only whole \(unit) are known"])
        }
        appendCounts(data, to: &table)
        if let rpm = data.rpm { table.append(["cadence", text(rpm, "rpm")]) }
        if let spm = data.spm { table.append(["cadence", text(spm, "spm")]) }
        appendSpeeds(data, to: &table)
        appendNow(data.now, to: &table)
        return table
    }

    private static func appendCounts(_ data: IntervalData, to table: inout TextTable) {
        if data.steps > 0 || data.revolutions == 0 {
            table.append(["steps", "\(data.steps) (\(data.strides) strides)"])
        }
        if data.revolutions > 0 { table.append(["revolutions", "\(data.revolutions)"]) }
        if data.distanceMetres > 0 {
            table.append(["distance", DecimalText.fixed(data.distanceMetres, decimals: 1) + " m"])
        }
        if data.steps > 0, let floors = data.floors {
            table.append(["floors", "\(floors.ascended) up, \(floors.descended) down"])
        }
        table.append(["active", DecimalText.clock(seconds: data.activeSeconds)])
        table.append(["covered", DecimalText.clock(seconds: data.coveredSeconds)])
    }

    private static func appendSpeeds(_ data: IntervalData, to table: inout TextTable) {
        if let pace = data.paceAverageSecondsPerMetre {
            table.append(["pace", DecimalText.fixed(pace, decimals: 2) + " s/m"])
        }
        if let speed = data.speedAverageKilometresPerHour {
            table.append(["speed", DecimalText.fixed(speed, decimals: 1) + " km/h"])
        }
    }

    private static func appendNow(_ now: MomentaryFigures, to table: inout TextTable) {
        let figures = [
            now.cadenceRPM.map { DecimalText.fixed($0, decimals: 1) + " rpm" },
            now.cadenceSPM.map { DecimalText.fixed($0, decimals: 1) + " spm" },
            now.paceSecondsPerMetre.map { DecimalText.fixed($0, decimals: 2) + " s/m" },
        ].compactMap { $0 }
        if !figures.isEmpty { table.append(["now", figures.joined(separator: ", ")]) }
    }

    private static func text(_ cadence: CadenceFigures, _ unit: String) -> String {
        let values = [cadence.average, cadence.minimum, cadence.maximum].map { DecimalText.fixed($0, decimals: 1) }
        return "\(values[0]) \(unit) (\(values[1]) to \(values[2]))"
    }
}
