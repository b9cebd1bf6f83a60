import ArgumentParser
import Foundation

/// Kills, freezes and misleads the real services, and compares what history says with the uninterrupted run.
@main
struct FaultBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faultbench", abstract: "Try every fault on the real services, and give a verdict on each.")

    @Flag(help: "A few minutes instead of most of an hour.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Instead of faults, run for so long at half the machine's capacity, and plot.", valueName: "minutes"))
    var soak: Double?

    @Option(help: ArgumentHelp("Where to write the report: PATH.md and PATH.json, PATH-soak.*.", valueName: "path"))
    var report = "faults"

    @Option(help: "What the frames and the instants are drawn from.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Only faults whose name contains this; may be given again.", valueName: "text"))
    var only: [String] = []

    @Option(help: "How many faults are tried side by side, each on a broker and services of its own.")
    var jobs = 4

    @Option(help: ArgumentHelp("The program under test (default: stridebus beside this one).", valueName: "file"))
    var program: String?

    func validate() throws {
        if let soak, !(0.1...1_440).contains(soak) { throw ValidationError("--soak is \(soak): give 0.1 to 1440") }
        guard (1...16).contains(jobs) else { throw ValidationError("--jobs is \(jobs): give 1 to 16") }
    }

    func run() async throws {
        let directory = try RunDirectory()
        let interruption = Interruption(directory: directory)
        defer {
            interruption.end()
            directory.remove()
        }
        if let soak { try await runSoak(minutes: soak) } else { try await runFaults() }
    }

    private func runSoak(minutes: Double) async throws {
        let result = try await SoakRun(executable: executable, minutes: minutes, seed: seed).run()
        try result.write(to: report)
        print(result.summary)
        print("report: \(report)-soak.md, \(report)-soak.json and \(report)-soak.svg")
        guard result.holds else { throw ExitCode.failure }
    }

    private func runFaults() async throws {
        let run = BenchRun(
            executable: executable, scale: quick ? .quick : .long, seed: seed, only: only, jobs: jobs, path: report)
        let result = try await run.run()
        print(result.summary)
        print("report: \(report).md and \(report).json")
        guard result.holds else { throw ExitCode.failure }
    }

    private var executable: URL {
        if let program { return URL(fileURLWithPath: program) }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("stridebus")
    }
}
