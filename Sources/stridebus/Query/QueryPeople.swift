import ArgumentParser
import Lab
import Wire

/// People and their devices.
struct QueryPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Who has which devices, and since when.")

    @Option(help: ArgumentHelp("The zone of the times that are shown (default: UTC).", valueName: "zone"))
    var zone: String?

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .people), as: PeopleData.self) { data, _ in
            Self.table(data, LocalClock(zone: zone))
        }
    }

    private static func table(_ data: PeopleData, _ clock: LocalClock) -> TextTable {
        var table = TextTable(columns: [
            .words("person"), .words("device"), .words("from (\(clock.zone))"), .words("to"),
        ])
        for assignment in data.people.flatMap(\.devices) {
            table.append([
                assignment.person, assignment.device.description, assignment.from.map(clock.text) ?? "always",
                assignment.to.map(clock.text) ?? "",
            ])
        }
        return table
    }
}
