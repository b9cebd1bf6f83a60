import Foundation

/// One run of the bench: some faults side by side, until all have a verdict.
struct BenchRun: Sendable {
    let executable: URL
    let scale: BenchScale
    let seed: UInt64
    let only: [String]
    let jobs: Int
    /// Where the report goes, without the end of its name.
    let path: String

    func run() async throws -> BenchReport {
        let begin = ContinuousClock.now
        var report = BenchReport(seed: seed, mode: scale.rawValue)
        let (faults, skipped) = await choose()
        report.skipped = skipped
        for line in skipped { say("skipped  \(line)") }
        var verdicts: [Int: Verdict] = [:]
        await withTaskGroup(of: (Int, Verdict).self) { group in
            for (place, index) in longestFirst(faults).enumerated() {
                if place >= jobs, let (done, verdict) = await group.next() { take(verdict, done, &verdicts) }
                group.addTask { (index, await trial(faults[index]).run()) }
            }
            for await (done, verdict) in group { take(verdict, done, &verdicts) }
        }
        for (_, verdict) in verdicts.sorted(by: { $0.key < $1.key }) { report.add(verdict) }
        report.seconds = begin.duration(to: .now) / .seconds(1)
        try report.write(to: path)
        return report
    }

    /// The indices of the faults in the order in which they are begun.
    private func longestFirst(_ faults: [Fault]) -> [Int] {
        faults.indices.sorted { scale.wallSeconds(faults[$0]) > scale.wallSeconds(faults[$1]) }
    }

    private func take(_ verdict: Verdict, _ index: Int, _ verdicts: inout [Int: Verdict]) {
        verdicts[index] = verdict
        let word = verdict.word.padding(toLength: 7, withPad: " ", startingAt: 0)
        say("\(word) \(verdict.fault) (\(Int(verdict.seconds)) s): \(verdict.detail)")
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// The faults that are asked for and can be tried here, and what cannot.
    private func choose() async -> ([Fault], skipped: [String]) {
        var skipped: [String] = []
        let mounts = SmallDisk.isPossible
        let traces = await SystemCallFault.isPossible()
        if !mounts { skipped.append("full disks, because this machine mounts no disk for us") }
        if !traces { skipped.append("slow and read-only disks, because strace is missing or may not trace") }
        let faults = Fault.all.filter { fault in
            guard only.isEmpty || only.contains(where: { fault.name.contains($0) }) else { return false }
            if case .disk(.full, _) = fault { return mounts }
            if case .disk = fault { return traces }
            return true
        }
        return (faults, skipped)
    }

    /// The frames are made when the trial begins, so that no frame is older than it would be.
    private func trial(_ fault: Fault) -> FaultTrial {
        FaultTrial(
            fault: fault,
            usualWorkload: Workload(bikes: 3, walkers: 3, seconds: scale.workloadSeconds, seed: seed),
            executable: executable, scale: scale, seed: seed)
    }
}
