import ArgumentParser
import Lab
import Wire

/// The devices that history knows.
struct QueryDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that history knows, with times by their own clocks.")

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .devices), as: DevicesData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DevicesData) -> TextTable {
        var table = TextTable(columns: [
            .words("device"), .words("kind"), .words("placement"), .numbers("steps"), .numbers("revolutions"),
            .words("first"), .words("last"), .words("zone"),
        ])
        for device in data.devices {
            let clock = LocalClock(zone: device.zone)
            table.append([
                device.device.description, device.kind.rawValue, device.placement ?? "",
                device.kind == .bike ? "" : "\(device.steps)",
                device.revolutions == 0 && device.kind == .wearable ? "" : "\(device.revolutions)",
                clock.text(device.firstT), clock.text(device.lastT), clock.zone,
            ])
        }
        return table
    }
}
