import ArgumentParser
import Console
import Wire

/// The devices that history knows.
struct QueryDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that history knows.")

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .devices), as: DevicesData.self, table: Self.table)
    }

    private static func table(_ data: DevicesData) -> TextTable {
        var table = TextTable(columns: [
            .words("device"), .words("kind"), .words("placement"), .words("zone"), .numbers("steps"),
            .numbers("revolutions"), .words("first"), .words("last"),
        ])
        for device in data.devices {
            table.append([
                device.device.description, device.kind.rawValue, device.placement ?? "", device.zone,
                "\(device.steps)", "\(device.revolutions)", TimePoint.instant(seconds: device.firstT).text,
                TimePoint.instant(seconds: device.lastT).text,
            ])
        }
        return table
    }
}
