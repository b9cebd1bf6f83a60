import ArgumentParser
import Lab
import Wire

/// What is available on a device.
struct QueryCapabilities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities", abstract: "What is available on a device, and if not why.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .capabilities, device: device)
        try await options.ask(request, as: CapabilitiesData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: CapabilitiesData) -> TextTable {
        var table = TextTable(columns: [.words("\(data.device)"), .words("available"), .words("why not")])
        for capability in Capability.allCases {
            switch data.availabilities[capability] {
            case .available: table.append([capability.rawValue, "yes"])
            case .unavailable(let why): table.append([capability.rawValue, "no", why])
            case nil: table.append([capability.rawValue, "no"])
            }
        }
        let missing = data.unauthorisedVerbs.map(\.rawValue).joined(separator: ", ")
        table.append(["every request", data.isAuthorised ? "yes" : "no", missing.isEmpty ? "" : "--key: \(missing)"])
        return table
    }
}
