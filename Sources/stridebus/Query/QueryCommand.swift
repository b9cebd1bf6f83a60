import ArgumentParser
import Lab
import StrideClient
import Wire

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Ask history over the bus.",
        discussion: """
            Times are local dates (2026-11-20), ISO 8601 instants (2026-11-20T17:00:00Z) or seconds since 1970; \
            'from' is included, 'to' is not.
            """,
        subcommands: [
            QueryToday.self, QueryDays.self, QueryInterval.self, QuerySeries.self, QueryActivity.self,
            QueryDevices.self, QueryCapabilities.self, QueryPeople.self, QueryPerson.self, ExportCommand.self,
        ])
}

/// The options of every query: the bus, and the format of the answer.
struct QueryOptions: ParsableArguments {
    @OptionGroup var asking: AskingOptions

    @Flag(help: "Print the answer's data as JSON.")
    var json = false

    @Flag(help: "Print the answer's records as CSV, with plain numbers; times are seconds since 1970.")
    var csv = false

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other; give one of them") }
    }

    /// Asks and prints an answer that is one message: with `--json` as it came, with `--csv` its record, else a table
    /// with times by the clock of the zone that is asked for, or the device's own.
    func ask<Data: JSONPayload>(
        _ request: HistoryRequest, as: Data.Type, table: (Data, LocalClock) -> TextTable
    ) async throws {
        try checkCSV(of: Data.self)
        let answer = try await asking.withBus { try await $0.ask(request) }
        guard !json else { return Output.json(answer) }
        let data = try Data(json: answer)
        guard csv, let table = data as? any CSVPayload else { return await show(data, of: request, table) }
        Output.line(type(of: table).csvHeading)
        table.csvLines.forEach(Output.line)
    }

    /// Asks and prints an answer that may come in pages: with `--json` as one object, with `--csv` page after page,
    /// else as one table.
    func askAll<Data: PagedPayload>(
        _ request: HistoryRequest, as: Data.Type, table: (Data, LocalClock) -> TextTable,
        note: (Data) -> String? = { _ in nil }
    ) async throws {
        try checkCSV(of: Data.self)
        guard !csv else { return try await printCSV(request, as: Data.self) }
        let answer = try await asking.withBus { try await $0.askAll(request, as: Data.self) }
        guard !json else { return Output.json(answer.encodedJSON()) }
        await show(answer, of: request, table)
        if let note = note(answer) { Output.errorLine(note) }
    }

    private func show<Data>(
        _ data: Data, of request: HistoryRequest, _ table: (Data, LocalClock) -> TextTable
    ) async {
        var capabilities: CapabilitiesData?
        if let device = request.device {
            capabilities = try? await asking.withBus { try await $0.capabilities(device: device) }
        }
        let table = table(data, LocalClock(zone: request.zone ?? capabilities?.zone))
        table.lines.forEach(Output.line)
        if let capabilities, request.verb != .capabilities, !capabilities[.activity] {
            Output.errorLine(Self.unanswered(capabilities.device))
        } else if table.isEmpty {
            Output.errorLine("there is nothing to show")
        }
    }

    /// Nothing is known of a device that does not exist. That is no error, but a mistyped name should be noticed.
    static func unanswered(_ device: DeviceID) -> String {
        "nothing has come from '\(device)' yet; 'stridebus query devices' lists those that were heard"
    }

    private func printCSV<Data: PagedPayload>(_ request: HistoryRequest, as: Data.Type) async throws {
        var isFirst = true
        try await asking.withBus { bus in
            for try await page in bus.pages(of: request, as: Data.self) {
                guard let table = page as? any CSVPayload else { return }
                if isFirst { Output.line(type(of: table).csvHeading) }
                isFirst = false
                table.csvLines.forEach(Output.line)
                try Output.check()
            }
        }
    }

    private func checkCSV(of data: (some JSONPayload).Type) throws {
        guard !csv || data is any CSVPayload.Type else {
            throw ValidationError("there is no table to print as CSV; use --json")
        }
    }
}

extension TimePoint {
    /// A date, an instant, or seconds since 1970.
    init(argument: String) throws {
        let seconds = Double(argument)
        if let seconds, PayloadLimits.timeSeconds.contains(seconds) {
            self = .instant(seconds: seconds)
        } else if seconds == nil, let time = try? TimePoint(parsing: argument) {
            self = time
        } else {
            throw ValidationError("give 2026-11-20, 2026-11-20T17:00:00+01:00, or seconds since 1970")
        }
    }
}

/// A stretch of time, by a calendar.
struct TimeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The first instant or date.", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(help: ArgumentHelp("The end, not included.", valueName: "time"), transform: TimePoint.init(argument:))
    var to: TimePoint?

    @Option(
        help: ArgumentHelp(
            "The zone of dates and days, such as Europe/Berlin (default: the device's).", valueName: "zone"))
    var zone: String?

    /// A question about it.
    func request(_ verb: RequestVerb, of device: DeviceID? = nil) -> HistoryRequest {
        HistoryRequest(verb: verb, device: device, from: from, to: to, zone: zone)
    }
}

/// A device and a stretch of time.
struct StretchOptions: ParsableArguments {
    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var times: TimeOptions

    /// A question about both.
    func request(_ verb: RequestVerb) -> HistoryRequest { times.request(verb, of: device) }
}
