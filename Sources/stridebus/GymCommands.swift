import ArgumentParser
import Foundation
import Lab
import ServiceKit
import ServiceLifecycle
import StrideClient
import UnixSignals
import Wire

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show it at work: services, a simulated gym or recordings, a live table and a verdict.",
        discussion: """
            At the end history is asked over the bus for every device's totals. The exit code is 0 only if they are \
            as expected: within 2 % of the truth for the simulated gym; to the step what 'stridebus count' counts in \
            the same frames for recordings. With --for the gym trains ten times as fast as real time unless --speed \
            says otherwise, so that totals are large enough to compare.
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var gym: GymOptions
    @OptionGroup var page: PageOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time, e.g. 20s, and ask.", valueName: "time"))
    var duration: DurationSeconds?

    @Option(help: "Seconds of frames in a second on the wall (default: 1; 10 for a gym with --for).")
    var speed: PlayingSpeed?

    @Option(
        help: ArgumentHelp(
            "Replay the recordings of a folder with an index.csv instead of a gym.", valueName: "directory"),
        completion: .directory)
    var recordings: String?

    func run() async throws {
        let isTemporary = service.data == nil
        var service = service
        if isTemporary { service.data = NSTemporaryDirectory() + "stridebus-\(UInt64.random(in: .min ... .max))" }
        defer { if isTemporary, let data = service.data { try? FileManager.default.removeItem(atPath: data) } }
        if service.source.logLevel == nil { service.source.logLevel = "warning" }
        let run = try await service.prepare(
            ServiceName.allCases, privateBroker: .onPort(0, showsPage: true), page: page)
        if let pageURL = run.pageURL { Output.write("The page: \(pageURL)\n\n") }
        let isAsExpected =
            if let recordings {
                try await show(RecordingSource.Item.all(inFolder: recordings), run)
            } else {
                try await showGym(run)
            }
        guard let isAsExpected else {
            Output.errorLine("demo: ended before the totals were compared")
            throw ExitCode(Self.interruptedCode)
        }
        if !isAsExpected { throw ExitCode.failure }
    }

    /// The exit code of a program that a signal has ended before it was done, by the shells' custom: 128 and SIGINT.
    private static let interruptedCode: Int32 = 130

    private var effectiveSpeed: Double { speed?.factor ?? (recordings == nil && duration != nil ? 10 : 1) }
    private var frameSeconds: Double? { duration.map { $0.seconds * effectiveSpeed } }

    private func showGym(_ run: BusRun) async throws -> Bool? {
        let pace = Pace(speed: effectiveSpeed, seconds: frameSeconds ?? 0)
        let source = gym.source(startMicroseconds: pace.startMicroseconds, demoSeconds: frameSeconds)
        return try await show(source, pace, run)
    }

    private func show(_ items: [RecordingSource.Item], _ run: BusRun) async throws -> Bool? {
        let longest = items.map(\.recording.durationSeconds).max() ?? 0
        let pace = Pace(speed: effectiveSpeed, seconds: min(longest, frameSeconds ?? longest))
        return try await show(
            RecordingSource(items: items, startMicroseconds: pace.startMicroseconds), pace, run)
    }

    private func show(_ source: some FrameSource, _ pace: Pace, _ run: BusRun) async throws -> Bool? {
        let demonstration = Demonstration(
            source: source, endpoint: run.settings.endpoint, root: run.settings.topics.root,
            version: run.settings.version, pace: pace, wallSeconds: duration?.seconds, form: gym.form)
        try await run.group(with: [demonstration]).run()
        guard let finding = demonstration.result else { return nil }
        Output.write("\n" + finding.lines.joined(separator: "\n") + "\n")
        return finding.isAsExpected
    }
}

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Publish a simulated gym of bikes and walkers to a broker.",
        discussion: "At the end it prints what truly happened as one JSON object, or writes it to --truth FILE.")

    @OptionGroup var client: ClientOptions
    @OptionGroup var gym: GymOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time on the wall.", valueName: "time"))
    var duration = DurationSeconds(seconds: 60)

    @Option(help: ArgumentHelp("Seconds of frames in a second on the wall.", valueName: "0.01…10000"))
    var speed = PlayingSpeed(factor: 1)

    @Option(help: ArgumentHelp("Write the truth to this file.", valueName: "file"))
    var truth: String?

    @Option(
        help: ArgumentHelp(
            "Write each true step and revolution to this file once its frame is sent, as CSV: t_s, device, event.",
            valueName: "file"))
    var events: String?

    func run() async throws {
        let seconds = duration.seconds * speed.factor
        let pace = Pace(speed: speed.factor, seconds: seconds)
        let log = try events.map(EventLog.init)
        // Before anything is sent: a truth that cannot be written at the end is of no use.
        let truthFile = try truth.map { path in
            try Data().write(to: URL(fileURLWithPath: path))
            return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        }
        let publisher = try client.publisher()
        let player = FramePlayer(
            source: gym.source(startMicroseconds: pace.startMicroseconds), pace: pace, publisher: publisher,
            form: gym.form)
        let end = pace.startMicroseconds + Int64((seconds * 1e6).rounded())
        // Whoever stops it wants to know what has happened until then.
        let json = try await untilInterrupted { [player] in
            var player = player
            do {
                try await player.offerConfigurations()
                try await player.play(untilDevice: end) { try log?.append($0) }
            } catch  where Task.isCancelled {}
            return player.source.encodedTruth
        }
        await publisher.close()
        guard let truthFile else { return Output.json(json) }
        try truthFile.write(contentsOf: Data(json))
        try truthFile.close()
    }

    /// Does something, which is cancelled at the first Ctrl-C or SIGTERM; the second one ends the program.
    private func untilInterrupted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let working = Task { try await work() }
        let listening = Task {
            for await _ in signals {
                guard !working.isCancelled else { Foundation.exit(130) }
                working.cancel()
            }
        }
        defer { listening.cancel() }
        return try await working.value
    }
}

/// The true steps and revolutions of a gym, a line each.
private struct EventLog: Sendable {
    private let file: FileHandle

    init(path: String) throws {
        try Data("t_s,device,event\n".utf8).write(to: URL(fileURLWithPath: path))
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
    }

    func append(_ devices: [PlayedDevice]) throws {
        let lines = devices.flatMap { device in
            device.lastEvents.map { event in
                "\(DecimalText.fixed(Double(event.microseconds) / 1e6, decimals: 4)),\(device.id),\(event.kind)\n"
            }
        }
        try file.write(contentsOf: Data(lines.joined().utf8))
    }
}
