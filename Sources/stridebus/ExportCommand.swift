import ArgumentParser
import Foundation
import Lab
import StrideClient
import Wire

struct ExportCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a device's history, a line a bucket that has data; or a workout as a FIT file or a table.",
        discussion: """
            The history of a device goes to the output:  stridebus export --device bike-7 > bike-7.csv
            A workout of 'query workouts' goes to files: stridebus export --workout p.anna.z0 --fit ride.fit
            """)

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @OptionGroup var times: TimeOptions
    @OptionGroup var asking: AskingOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @Option(help: "csv or jsonl.")
    var format: Format = .csv

    @Option(help: ArgumentHelp("A workout, in place of a device.", valueName: "id"))
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
        guard (device == nil) != (workout == nil) else { throw ValidationError("give --device or --workout") }
        guard (workout == nil) == (fit == nil && csv == nil) else {
            throw ValidationError("--workout goes with --fit or --csv, which name its files")
        }
    }

    func run() async throws {
        if let device { return try await writeHistory(of: device) }
        guard let workout else { return }
        try await asking.withBus { bus in
            for (format, path) in [(WorkoutFormat.fit, fit), (.csv, csv)] {
                guard let path else { continue }
                let bytes = try await bus.file(of: workout, format, zone: times.zone)
                try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
        }
    }

    private func writeHistory(of device: DeviceID) async throws {
        let fields = AnswerShape.buckets.fields
        var progress = ProgressLine(isWanted: !LiveScreen.isTerminal)
        defer { progress.clear() }
        if format == .csv { Output.line(RecordTable.csvHeading(fields)) }
        try await asking.withBus { bus in
            try await AnswerShape.buckets.pages(of: try await request(device, bus), from: bus) { page in
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
    private func request(_ device: DeviceID, _ bus: StrideBus) async throws -> HistoryRequest {
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
