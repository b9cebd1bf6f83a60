import ArgumentParser
import Foundation
import Lab
import ServiceKit
import ServiceLifecycle
import StrideClient
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
