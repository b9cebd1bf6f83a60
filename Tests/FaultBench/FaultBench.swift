import ArgumentParser
import Foundation

/// Kills, freezes and misleads the real services, and compares what history says with the uninterrupted run.
@main
struct FaultBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faultbench", abstract: "Try every fault on the real services, and give a verdict on each.")

    @Flag(help: "A few minutes instead of most of an hour.")
    var quick = false

    @Option(help: ArgumentHelp("Where to write the report, as PATH.md and PATH.json.", valueName: "path"))
    var report = "faults"

    @Option(help: "What the frames and the instants are drawn from.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Only faults whose name contains this.", valueName: "text"))
    var only: String?

    @Option(help: ArgumentHelp("The program under test (default: stridebus beside this one).", valueName: "file"))
    var program: String?

    func run() async throws {
        let interruption = Interruption()
        defer { interruption.end() }
        let workload = Workload(bikes: 3, walkers: 3, seconds: quick ? 150 : 900, seed: seed)
        var result = BenchReport(seed: seed, mode: quick ? "quick" : "long")
        let canFill = SmallDisk.isPossible
        if !canFill { print("skipped: this machine mounts no disk for us, so none can be full") }
        for fault in Fault.all
        where (canFill || fault.smallDisk == nil) && only.map({ fault.name.contains($0) }) ?? true {
            let verdict = await trial(fault, workload).run()
            print("\(verdict.holds ? "holds " : "BROKEN")  \(verdict.fault): \(verdict.detail)")
            fflush(nil)
            result.verdicts.append(verdict)
            try result.write(to: report)
        }
        print(result.summary)
        guard result.holds else { throw ExitCode.failure }
    }

    private func trial(_ fault: Fault, _ workload: Workload) -> FaultTrial {
        var kills = quick ? 6 : 60
        var wallSeconds = quick ? 8.0 : 60.0
        if case .kills(.anyInstant) = fault {
            kills = quick ? 20 : 200
            wallSeconds = quick ? 20 : 180
        }
        return FaultTrial(
            fault: fault, workload: workload, executable: executable, kills: kills, wallSeconds: wallSeconds, seed: seed
        )
    }

    private var executable: URL {
        if let program { return URL(fileURLWithPath: program) }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("stridebus")
    }
}
