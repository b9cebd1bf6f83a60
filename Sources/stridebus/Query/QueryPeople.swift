import ArgumentParser
import Console
import Wire

/// People and their devices.
struct QueryPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Who has which devices, and since when.")

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .people), as: PeopleData.self, table: Self.table)
    }

    private static func table(_ data: PeopleData) -> TextTable {
        var table = TextTable(columns: [.words("person"), .words("device"), .words("from"), .words("to")])
        for assignment in data.people.flatMap(\.devices) {
            table.append([
                assignment.person, assignment.device.description,
                assignment.from.map { TimePoint.instant(seconds: $0).text } ?? "always",
                assignment.to.map { TimePoint.instant(seconds: $0).text } ?? "",
            ])
        }
        return table
    }
}

/// A person's totals.
struct QueryPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "What all devices of a person together say, each minute from one of them (default: the last 7 days).")

    @Argument(help: "The person.")
    var person: String

    @Option(help: ArgumentHelp("The first instant or date.", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(help: ArgumentHelp("The end, not included.", valueName: "time"), transform: TimePoint.init(argument:))
    var to: TimePoint?

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .day

    @Flag(help: "Show what each device said, and how much of it was taken.")
    var bySource = false

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = HistoryRequest(verb: .people, from: from, to: to, bucket: bucket)
        request.person = person
        try await options.askAll(request, as: PersonData.self) { table($0) }
    }

    private func table(_ data: PersonData) -> TextTable {
        let floors = FloorColumns(data.buckets.map(\.floors))
        var table = TextTable(
            columns: [
                .words("start"), .words(bySource ? "device" : ""), .numbers("steps"), .numbers("revolutions"),
                .numbers("km"), .numbers("active"), .numbers("covered"),
            ] + floors.columns)
        for bucket in data.buckets {
            let cells = [
                TimePoint.instant(seconds: bucket.start).text, "", "\(bucket.steps)", "\(bucket.revolutions)",
                DecimalText.fixed(bucket.distanceMetres / 1000, decimals: 2),
                DecimalText.clock(seconds: bucket.activeSeconds), DecimalText.clock(seconds: bucket.coveredSeconds),
            ]
            table.append(cells + floors.cells(bucket.floors))
            for source in bySource ? bucket.sources : [] {
                table.append([
                    "", source.device.description, "\(source.stepsUsed) of \(source.steps)",
                    "\(source.revolutionsUsed) of \(source.revolutions)", "", "",
                    DecimalText.clock(seconds: source.coveredSeconds),
                ])
            }
        }
        return table
    }
}
