import ArgumentParser
import BusConfiguration
import Console
import Launch
import StrideClient
import Wire

/// What every question has: where the bus is, how long to wait, and how to print the answer.
struct QueryOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

    @Flag(help: "Print the answer's data as JSON.")
    var json = false

    @Flag(help: "Print the answer's records as CSV, with plain numbers; times are seconds since 1970.")
    var csv = false

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "time"))
    var timeout = DurationSeconds(seconds: StrideBus.usualTimeoutSeconds)

    func validate() throws {
        guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other; give one of them") }
    }

    /// Asks and prints: the data as it came with `--json`, its records with `--csv`, else as a table.
    func ask<Data: JSONPayload>(
        _ request: HistoryRequest, as: Data.Type, table: (Data) -> TextTable
    ) async throws {
        guard !csv || CompactTable.columns(of: request.verb) != nil,
            !csv || request.verb != .people || request.person != nil
        else {
            throw ValidationError("there is no table to print as CSV; use --json")
        }
        var request = request
        request.isCompact = csv
        let settings = try BusSettings(
            config: ConfigurationSources(flags: bus.flags, file: source.config).reader())
        let client = try StrideBus(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
        let answer: [UInt8]
        do {
            answer = try await client.ask(request, timeoutSeconds: timeout.seconds)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        guard !json else { return Output.line(String(decoding: answer, as: UTF8.self)) }
        if csv {
            let table = CompactTable(verb: request.verb, data: try CompactData(json: answer))
            return table.csvLines.forEach(Output.line)
        }
        for line in table(try Data(json: answer)).lines { Output.line(line) }
    }
}

extension TimePoint {
    /// A date, an instant, or seconds since 1970.
    init(argument: String) throws {
        guard let seconds = Double(argument) else {
            self = try TimePoint(parsing: argument)
            return
        }
        self = .instant(seconds: seconds)
    }
}

/// A device and a stretch of time.
struct StretchOptions: ParsableArguments {
    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Option(help: ArgumentHelp("The first instant or date.", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(help: ArgumentHelp("The end, not included.", valueName: "time"), transform: TimePoint.init(argument:))
    var to: TimePoint?
}
