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

/// Where an answer has its records, and which of their fields are printed.
struct AnswerShape {
    /// The field with the records; nil where the answer is one.
    var list: String?
    /// A list in each record, of which each element is a record of its own with the fields of both.
    var inner: String?
    let fields: [String]

    var isOneRecord: Bool { list == nil }

    init(_ list: String?, of fields: String, inner: String? = nil) {
        (self.list, self.inner) = (list, inner)
        self.fields = fields.split(separator: " ").map(String.init)
    }

    private static let counts =
        "steps revolutions distance_m cadence_avg_rpm cadence_avg_spm active_s covered_s floors_ascended floors_descended"

    static let days = AnswerShape(
        "days",
        of: "date steps revolutions distance_m active_s covered_s floors_ascended floors_descended zone revision")
    static let buckets = AnswerShape("buckets", of: "start " + counts)
    static let segments = AnswerShape("segments", of: "start end activity confidence steps revolutions")
    static let workouts = AnswerShape(
        "workouts",
        of:
            "start end kind title moving_s paused_s distance_m revolutions steps cadence_avg_rpm cadence_avg_spm speed_avg_m_per_s "
            + "heart_avg_bpm power_avg_w work_kj kcal kcal_source class persons devices id")
    static let classes = AnswerShape(
        "classes", of: "start title ended ranking rank name device team time_in_target_s distance_m work_kj",
        inner: "riders")
    static let devices = AnswerShape(
        "devices", of: "device kind placement steps revolutions first_t last_t zone name")
    static let people = AnswerShape("people", of: "person device from to alias", inner: "devices")
    static let interval = AnswerShape(
        nil,
        of:
            "device person from to resolution_s partial_minute steps strides revolutions distance_m distance_active_s active_s "
            + "covered_s cadence_avg_rpm cadence_min_rpm cadence_max_rpm cadence_avg_spm cadence_min_spm cadence_max_spm "
            + "pace_avg_s_per_m speed_avg_m_per_s floors_ascended floors_descended cadence_now_rpm cadence_now_spm "
            + "pace_now_s_per_m speed_now_m_per_s")
    static let capabilities = AnswerShape(
        nil,
        of: "device kind zone " + Capability.allCases.map { "\($0.rawValue) \($0.rawValue)_why" }.joined(separator: " ")
            + " note authorised not_authorised")

    /// The records of an answer or of one of its pages.
    func records(of answer: JSONObject) -> [JSONObject] {
        guard let list else { return [answer] }
        let records = (answer[list]?.array ?? []).compactMap(\.object)
        guard let inner else { return records }
        return records.flatMap { outer in
            (outer[inner]?.array ?? []).compactMap(\.object).map { element in
                var both = element
                for member in outer.members where element[member.name] == nil && member.name != inner {
                    try? both.set(member.name, to: member.value)
                }
                return both
            }
        }
    }

    /// Gives the answer page after page; what is no list has one.
    func pages(
        of request: HistoryRequest, from bus: StrideBus, _ take: (JSONObject) async throws -> Void
    ) async throws {
        var request = request
        if list != nil { request.limit = request.limit ?? PayloadLimits.rowsAPage }
        while true {
            let data = try await bus.ask(request)
            let json = try data.withUnsafeBytes { try JSONValue(parsing: $0, maximumBytes: HistoryReply.maximumBytes) }
            guard let page = json.object else { throw WireError.wrongType }
            try await take(page)
            let cursor = page["cursor"]?.string
            // A page whose cursor leads to itself would repeat without end.
            guard cursor != request.cursor else {
                guard cursor == nil else { throw WireError.outOfRange }
                return
            }
            guard cursor != nil else { return }
            request.cursor = cursor
        }
    }

    /// The answer with the records of all its pages.
    func whole(_ request: HistoryRequest, from bus: StrideBus) async throws -> JSONObject {
        var (answer, records) = (JSONObject(), [JSONValue]())
        try await pages(of: request, from: bus) { page in
            answer = page
            if let list { records += page[list]?.array ?? [] }
        }
        if let list { try answer.set(list, to: .array(records)) }
        return answer
    }
}

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, or about one, live.",
        discussion: """
            On a terminal a table is redrawn in place, a line a device. In a pipe each report is a line. With --every N there \
            is a line at each N steps of a device, counted from the start. --once shows what is so now and ends.
            """)

    @OptionGroup var asking: AskingOptions

    @Option(help: "Only this device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: ArgumentHelp("Print a line at every so many steps of --device.", valueName: "steps"))
    var every: UInt64?

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "time"))
    var duration: DurationSeconds?

    @Flag(help: #"Print a line an event: {"device","channel","payload"}."#)
    var json = false

    @Flag(help: "Show the devices once and end, after 3 s or the time that --for gives.")
    var once = false

    func validate() throws {
        guard every == nil || device != nil else { throw ValidationError("--every needs --device") }
        guard !(json && once) else { throw ValidationError("--json prints what comes; leave out --once") }
        guard every == nil || !(json || once) else {
            throw ValidationError("--every prints lines as steps are counted; leave out --json and --once")
        }
        guard every != 0 else { throw ValidationError("--every must be 1 or more") }
    }

    func run() async throws {
        if let device, let every { return try await showSteps(of: device, every: every) }
        let form: Watch.Form = once ? .table : json ? .events : .live
        let observer = try asking.client.observer()
        try await Watch(observer: observer, form: form, seconds: duration?.seconds, device: device).run()
    }

    private func showSteps(of device: DeviceID, every: UInt64) async throws {
        try await asking.withBus { bus in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await data in Pedometer(bus: bus, device: device).updates(every: every) {
                        let time = TimePoint.instant(seconds: data.end.rounded()).text
                        let distance = data.distanceMetres.map { ", \(DecimalText.fixed($0, decimals: 0)) m" } ?? ""
                        Output.line("\(time) \(device) \(data.steps) steps\(distance)")
                    }
                }
                group.addTask { try await Output.untilNobodyReads() }
                if let duration { group.addTask { try await Task.sleep(for: .seconds(duration.seconds)) } }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
