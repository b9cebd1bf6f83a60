public import ArgumentParser
import Lab
import StrideClient
public import Wire

extension Bucket: ExpressibleByArgument {}

struct QueryToday: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Totals since the day began by the device's own calendar.")

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .historyInterval, device: subject.device, person: subject.person)
        try await options.ask(request, .interval)
    }
}

struct QueryDays: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Totals of each calendar day in the device's zone (default: the last 7 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyDays), .days) }
}

struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval (default: since the day began).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyInterval), .interval) }
}

struct QuerySeries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "An interval in buckets of minutes, hours, days, weeks or months.")

    @OptionGroup var stretch: StretchOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = stretch.request(.historySeries)
        request.bucket = bucket
        try await options.ask(request, .buckets)
    }
}

struct QueryActivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract:
            "What the wearer of a device, or a person with all devices, did, stretch after stretch (default: today).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyActivity), .segments) }
}

struct QueryWorkouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts", abstract: "Rides, walks and runs of a device or a person (default: the last 30 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyWorkouts), .workouts) }
}

struct QueryClasses: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classes",
        abstract: "Classes with their riders, a row a rider: with --from, --to and --csv those of a month for a table.")

    @OptionGroup var times: TimeOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(times.request(.historyClasses), .classes) }
}

struct QueryDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that history knows, with times by their own clocks.")

    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(HistoryRequest(verb: .devices), .devices) }
}

struct QueryCapabilities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities", abstract: "What is available on a device, and if not why.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.ask(HistoryRequest(verb: .capabilities, device: device), .capabilities)
    }
}

struct QueryPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Who has which devices, and since when; times are UTC.")

    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(HistoryRequest(verb: .people), .people) }
}

struct ExportCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a device's history as CSV or JSON Lines, a line a bucket that has data.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var times: TimeOptions
    @OptionGroup var asking: AskingOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @Option(help: "csv or jsonl.")
    var format: Format = .csv

    func run() async throws {
        let fields = AnswerShape.buckets.fields
        var progress = ProgressLine(isWanted: !LiveScreen.isTerminal)
        defer { progress.clear() }
        if format == .csv { Output.line(RecordTable.csvHeading(fields)) }
        try await asking.withBus { bus in
            try await AnswerShape.buckets.pages(of: try await request(bus), from: bus) { page in
                let records = AnswerShape.buckets.records(of: page)
                let counted = records.filter { !RecordTable.isEmpty($0) }
                switch format {
                case .csv: RecordTable(counted, fields: fields).csvLines.forEach(Output.line)
                case .jsonl: counted.forEach { Output.json($0.encodedJSON()) }
                }
                try Output.check()
                guard let start = records.last?["start"]?.double else { return }
                progress.show("up to " + TimePoint.instant(seconds: start).text)
            }
        }
    }

    /// Without `--from` and `--to` all that there is.
    private func request(_ bus: StrideBus) async throws -> HistoryRequest {
        var request = times.request(.historySeries, of: device)
        request.bucket = bucket
        request.isExport = true
        guard request.from == nil || request.to == nil else { return request }
        let known = try await bus.askAll(HistoryRequest(verb: .devices), as: DevicesData.self)
        let entry = known.devices.first { $0.device == device }
        if entry == nil { Output.errorLine(QueryOptions.nothing) }
        request.from = request.from ?? .instant(seconds: entry?.firstT ?? 0)
        request.to = request.to ?? .instant(seconds: entry?.lastT ?? 60)
        return request
    }
}
