import ArgumentParser
import FIT
import Foundation
import Lab
import MQTT
import ServiceKit
import StrideClient
import Wire

struct ExportCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the history of a device or a person, a line a bucket or workout; or a workout as a FIT file.",
        discussion: """
            History goes to the output:                  stridebus export --device bike-7 > bike-7.csv
            and workouts do:                             stridebus export --person Anna --workouts > anna.csv
            A workout of 'query workouts' goes to files: stridebus export --workout p.anna.z0 --fit ride.fit
            """)

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person, with all devices: each minute from one of them.")
    var person: String?

    @Flag(help: "Rides, walks and runs in place of buckets.")
    var workouts = false

    @OptionGroup var times: TimeOptions
    @OptionGroup var asking: AskingOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @Option(help: "csv or jsonl.")
    var format: Format = .csv

    @Option(help: ArgumentHelp("A workout, in place of a device or a person.", valueName: "id"))
    var workout: String?

    @Option(
        help: ArgumentHelp("The workout for bike computers, watches and training diaries.", valueName: "file"),
        completion: .file(extensions: ["fit"]))
    var fit: String?

    @Option(
        help: ArgumentHelp("The workout as a table, a line a second.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var csv: String?

    func validate() throws {
        guard [device != nil, person != nil, workout != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give one of --device, --person and --workout")
        }
        guard (workout == nil) == (fit == nil && csv == nil) else {
            throw ValidationError("--workout goes with --fit or --csv, which name its files")
        }
    }

    func run() async throws {
        guard let workout else { return try await writeHistory() }
        try await asking.withBus { bus in
            for (format, path) in [(WorkoutFormat.fit, fit), (.csv, csv)] {
                guard let path else { continue }
                let bytes = try await bus.file(of: workout, format, zone: times.zone)
                try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
        }
    }

    private func writeHistory() async throws {
        let shape = workouts ? AnswerShape.workouts : .buckets
        if format == .csv { Output.line(RecordTable.csvHeading(shape.fields)) }
        try await asking.withBus { bus in
            for request in try await requests(bus) {
                try await shape.pages(of: request, from: bus) { page in
                    let counted = shape.records(of: page).filter { !RecordTable.isEmpty($0) }
                    switch format {
                    case .csv: RecordTable(counted, fields: shape.fields).csvLines.forEach(Output.line)
                    case .jsonl: counted.forEach { Output.json($0.encodedJSON()) }
                    }
                    try Output.check()
                }
            }
        }
    }

    /// The request; without `--from` one for each stretch of days with data, because a clock that was wrong leaves years
    /// between two of them.
    private func requests(_ bus: StrideBus) async throws -> [HistoryRequest] {
        let request = try await request(bus)
        guard times.from == nil, !workouts, bucket == .minute || bucket == .hour else { return [request] }
        var (days, parts, isOpen) = (request, [HistoryRequest](), false)
        days.bucket = .day
        try await AnswerShape.buckets.pages(of: days, from: bus) { page in
            for day in AnswerShape.buckets.records(of: page) {
                guard let start = day["start"]?.double, RecordTable.isEmpty(day) == isOpen else { continue }
                if isOpen {
                    parts[parts.count - 1].to = .instant(seconds: start)
                } else {
                    parts.append(request)
                    parts[parts.count - 1].from = .instant(seconds: start)
                }
                isOpen.toggle()
            }
        }
        return parts
    }

    /// Without `--from` and `--to` all that there is.
    private func request(_ bus: StrideBus) async throws -> HistoryRequest {
        var request = times.request(workouts ? .historyWorkouts : .historySeries, of: device)
        (request.person, request.bucket, request.isExport) = (person, workouts ? nil : bucket, true)
        guard request.from == nil || request.to == nil else { return request }
        let known = try await bus.devices()
        // A person's history begins with that of a device at the earliest.
        let entries = known.filter { device == nil || $0.device == device }
        if entries.isEmpty { Output.errorLine(QueryCommand.nothing) }
        request.from = request.from ?? .instant(seconds: entries.map(\.firstT).min() ?? 0)
        request.to = request.to ?? .instant(seconds: entries.map(\.lastT).max() ?? 60)
        return request
    }
}

extension StrideBus {
    /// The whole file of a workout.
    fileprivate func file(of workout: String, _ format: WorkoutFormat, zone: String?) async throws -> [UInt8] {
        var request = HistoryRequest(verb: .workoutsExport, zone: zone)
        (request.workout, request.format, request.isExport) = (workout, format, true)
        var bytes: [UInt8] = []
        repeat {
            let data = try WorkoutFileData(json: try await ask(request))
            bytes += data.part
            request.cursor = data.part.isEmpty ? nil : data.cursor
        } while request.cursor != nil
        return bytes
    }
}

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take rides, walks and runs of other devices, from their FIT files.",
        discussion: """
            Each file becomes a device of its own serial number, such as fit-3945849289. What is taken a second time \
            changes nothing. Check the device in to a person, for that time, and the rides are that person's.
            """)

    @Argument(help: "FIT files.", completion: .file(extensions: ["fit"]))
    var files: [String]

    @Option(help: "The device that they are of (default: by their serial number).", transform: { try DeviceID($0) })
    var device: DeviceID?

    @OptionGroup var client: ClientOptions

    /// The largest file; a day of a watch with every sensor has a tenth of it.
    private static let maximumFileBytes = 32 << 20
    /// The longest time that the broker may take for a file, in seconds.
    private static let patienceSeconds = 30.0

    func run() async throws {
        let recordings = try files.map { file in (file, try read(file)) }
        let settings = try client.settings()
        let probe = BrokerProbe(
            bus: settings, name: "stride-import-\(UInt64.random(in: 0 ... .max))", patienceSeconds: Self.patienceSeconds
        )
        for (file, recording) in recordings {
            let device = try self.device ?? name(of: recording, in: file)
            let topic = settings.topics.bytes(.device(device, .seconds))
            try await probe.publish(
                recording.parts.map { MQTTPublication(topic: topic, payload: $0.encodedJSON()) })
            let seconds = recording.parts.reduce(0) { $0 + $1.knownCount }
            Output.line("\(file): \(seconds) s of \(device)")
        }
    }

    private func read(_ file: String) throws -> FITRecording {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe) else {
            throw CommandError("\(file): cannot be read; check the path and its permissions")
        }
        guard data.count <= Self.maximumFileBytes else { throw CommandError("\(file): is larger than 32 MB") }
        let recording: FITRecording
        do { recording = try FITRecording(Array(data)) } catch { throw CommandError("\(file): \(error)") }
        guard recording.parts.allSatisfy({ $0.hasPassed(nowSeconds: Date().timeIntervalSince1970) }) else {
            throw CommandError("\(file): has times before 2001 or to come: the clock of its device was not set")
        }
        return recording
    }

    private func name(of recording: FITRecording, in file: String) throws -> DeviceID {
        guard let serial = recording.serial else {
            throw ValidationError("\(file) does not tell the serial number of its device: give --device")
        }
        return try DeviceID("fit-\(serial)")
    }
}

struct WorkoutsCommand: AsyncParsableCommand {
    enum Edge: String, ExpressibleByArgument, CaseIterable {
        case start, stop
    }

    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "Say where a workout begins and ends.",
        discussion: """
            Without it history finds workouts by their movement: 'stridebus query workouts' lists them with their ids, and \
            the page names, joins and cuts them.
            """)

    @Argument(help: "start or stop.")
    var edge: Edge

    @OptionGroup var subject: SubjectOptions

    @Option(
        help: ArgumentHelp("When (default: now).", valueName: "seconds since 1970"),
        transform: Double.finite(argument:))
    var at: Double?

    @OptionGroup var asking: AskingOptions

    func validate() throws { try subject.requireOne() }

    func run() async throws {
        let verb: RequestVerb = edge == .start ? .workoutsStart : .workoutsStop
        let request = HistoryRequest(verb: verb, device: subject.device, person: subject.person)
        let marked = try await asking.withBus { try await $0.mark(request, at: at) }
        let time = TimePoint.instant(seconds: marked.t ?? 0).text
        Output.line("a workout \(edge == .start ? "begins" : "ends") at \(time)")
        if let workout = marked.workout { Output.line("it is \(workout.id)") }
    }
}
