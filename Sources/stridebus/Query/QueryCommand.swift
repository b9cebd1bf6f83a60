import ArgumentParser
import Lab
import StrideClient
import Wire

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Ask history over the bus.",
        discussion: """
            today         totals since the day began by the device's own calendar
            days          totals of each calendar day in the device's zone (default: the last 7 days)
            interval      one record for an interval (default: since the day began)
            series        an interval in buckets of minutes, hours, days, weeks or months
            activity      what the wearer of a device, or a person, did, stretch after stretch (default: today)
            workouts      rides, walks and runs of a device or a person (default: the last 30 days)
            classes       classes with their riders, a row a rider
            devices       the devices that history knows, with times by their own clocks
            capabilities  what is available on a device, and if not why
            people        who has which devices, and since when; times are UTC

            Times are local dates (2026-11-20), ISO 8601 instants (2026-11-20T17:00:00Z) or seconds since 1970; \
            'from' is included, 'to' is not.
            """)

    @Argument(help: "What is asked.")
    var query: Query

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var times: TimeOptions

    @Option(help: "For series: minute (default), hour, day, week or month.")
    var bucket: Bucket?

    @Flag(help: "Print the answer's data as JSON.")
    var json = false

    @Flag(help: "Print the answer's records as CSV, with plain numbers and times in UTC.")
    var csv = false

    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other; give one of them") }
        switch query.subject {
        case .deviceOrPerson: try subject.requireOne()
        case .device:
            guard subject.device != nil, subject.person == nil else { throw ValidationError("say of which --device") }
        case .everything:
            guard subject.device == nil, subject.person == nil else {
                throw ValidationError("'\(query.rawValue)' is of all: leave out --device and --person")
            }
        }
        guard query.hasTimes || times.isEmpty else {
            throw ValidationError("'\(query.rawValue)' takes no --from, --to and --zone")
        }
        guard bucket == nil || query == .series else { throw ValidationError("--bucket is for 'series'") }
    }

    /// Asks and prints the answer: with `--json` as it came, its pages joined; with `--csv` page after page; else as a
    /// table, by the clock of the zone that is asked for, the answer's, or the device's own.
    func run() async throws {
        let (verb, answer) = query.form
        var request = times.request(verb, of: subject.device)
        (request.person, request.bucket) = (subject.person, query == .series ? bucket ?? .minute : nil)
        try await asking.withBus { [request] bus in
            if csv {
                Output.line(RecordTable.csvHeading(answer.fields))
                return try await answer.pages(of: request, from: bus) { page in
                    RecordTable(answer.records(of: page), fields: answer.fields).csvLines.forEach(Output.line)
                    try Output.check()
                }
            }
            let whole = try await answer.whole(request, from: bus)
            guard !json else { return Output.json(whole.encodedJSON()) }
            let records = RecordTable(answer.records(of: whole), fields: answer.fields)
            let zone = try await zone(of: request, whole, bus)
            let table = answer.isOneRecord ? records.fields(zone: zone) : records.table(zone: zone)
            table.lines.forEach(Output.line)
            // That is no error, but a mistyped name should be noticed.
            if records.saysNothing { Output.errorLine(Self.nothing) }
        }
    }

    static let nothing =
        "there is nothing to show; 'stridebus query devices' lists the devices that were heard, 'query people' who has them"

    private func zone(of request: HistoryRequest, _ answer: JSONObject, _ bus: StrideBus) async throws -> String? {
        if let zone = request.zone ?? answer["zone"]?.string { return zone }
        guard let device = request.device else { return nil }
        return try? await bus.capabilities(device: device).zone
    }
}

/// What can be asked: the request, whom it is about, and the form of its answer.
enum Query: String, ExpressibleByArgument, CaseIterable {
    case today, days, interval, series, activity, workouts, classes, devices, capabilities, people

    enum Subject {
        case deviceOrPerson, device, everything
    }

    /// The request, and the form of its answer.
    var form: (verb: RequestVerb, answer: AnswerShape) {
        switch self {
        case .today, .interval: (.historyInterval, .interval)
        case .days: (.historyDays, .days)
        case .series: (.historySeries, .buckets)
        case .activity: (.historyActivity, .segments)
        case .workouts: (.historyWorkouts, .workouts)
        case .classes: (.historyClasses, .classes)
        case .devices: (.devices, .devices)
        case .capabilities: (.capabilities, .capabilities)
        case .people: (.people, .people)
        }
    }

    var subject: Subject {
        switch self {
        case .capabilities: .device
        case .classes, .devices, .people: .everything
        default: .deviceOrPerson
        }
    }

    var hasTimes: Bool { ![.today, .devices, .capabilities, .people].contains(self) }
}
