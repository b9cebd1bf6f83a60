import Foundation
import Wire

/// What must hold after a fault.
struct FaultJudge {
    let fault: Fault
    let system: SystemUnderTest
    let watch: BusWatch
    let reader: HistoryReader
    let input: InputCase
    /// The frames that would have been sent without the fault.
    let sentWithoutFault: Int
    /// The messages that make no sense.
    let garbage: Int

    /// How long the totals may take to be right after the faults have stopped, in seconds.
    private static let patienceSeconds = 90.0
    /// The same after a flood of devices, each of which is written down before the next frames are read.
    private static let floodPatienceSeconds = 1_800.0

    func judge(_ verdict: inout Verdict) async throws {
        if fault.dividesFrames {
            verdict.note("each counter keeps what it was given, so that totals are not compared")
        } else if fault.overtakesFrames {
            try await judgeLosses(&verdict)
        } else {
            try await judgeTotals(&verdict)
            try await judgeTelling(&verdict)
        }
        if watch.regressions > 0 { verdict.note("totals went back \(watch.regressions) times", holds: false) }
    }

    /// Every minute of every device is what an uninterrupted counter makes of the same frames.
    private func judgeTotals(_ verdict: inout Verdict) async throws {
        let arrivals = watch.arrivals
        let truth = Workload.truth(of: input.goesByArrival ? input.counted.map(arrivals.seen) : input.counted)
        let differences = await reader.differences(from: truth, patienceSeconds: patience)
        let minutes = truth.values.reduce(0) { $0 + $1.count }
        verdict.note(
            differences.isEmpty
                ? "\(minutes) minutes equal to the step" : "\(differences.count) minutes differ: \(differences[0])",
            holds: differences.isEmpty)
        if await !system.isComplete { verdict.note("a service ended by itself", holds: false) }
    }

    private var patience: Double {
        if case .deviceFlood = fault { return Self.floodPatienceSeconds }
        return Self.patienceSeconds
    }

    /// What the services say on the bus about what was missing, refused or failed.
    private func judgeTelling(_ verdict: inout Verdict) async throws {
        switch fault {
        case .input(.thinned):
            verdict.framesLost = sentWithoutFault - input.sent.count
            let lost = verdict.framesLost
            verdict.framesMissingTold = try await told("missing", by: .counter) { $0 == lost }
            if verdict.framesMissingTold != lost { verdict.note("not told as lost", holds: false) }
        case .disk(let disk, let service) where disk.stopsCommits:
            let failures = try await told("commit_failures", by: service) { $0 > 0 }
            verdict.note("\(failures) commits failed", holds: failures > 0)
        case .deviceFlood: try await judgeFlood(&verdict)
        case .input(.besideGarbage):
            verdict.messagesRefused = try await told("refused", by: .ingest) { $0 == garbage }
            verdict.note("\(verdict.messagesRefused) of \(garbage) refused", holds: verdict.messagesRefused == garbage)
        default: return
        }
    }

    /// Every frame of the flood is accounted for: its device was counted, or it was refused for being one too many.
    private func judgeFlood(_ verdict: inout Verdict) async throws {
        let sent = verdict.framesSent
        let deadline = ContinuousClock.now + .seconds(patience)
        var (accepted, refused, counted) = (0, 0, 0)
        while ContinuousClock.now < deadline, accepted + refused != sent || counted != accepted {
            try await FaultStrike.wait(1)
            accepted = Int(watch.health(of: .ingest)?["accepted"] ?? 0)
            refused = Int(watch.health(of: .ingest)?["refused_too_many_devices"] ?? 0)
            counted = Int(watch.health(of: .counter)?["accepted"] ?? 0)
        }
        verdict.messagesRefused = refused
        verdict.note(
            "\(accepted) frames accepted, \(refused) refused and told, \(counted) counted",
            holds: accepted + refused == sent && counted == accepted)
    }

    private func told(_ name: String, by service: ServiceName, isWished: (Int) -> Bool) async throws -> Int {
        try await watch.value(name, of: service, patienceSeconds: Self.patienceSeconds, isWished: isWished)
    }
}

// MARK: - Brokers that lose

extension FaultJudge {
    /// What the broker lost is told frame by frame, and everything else is in history.
    private func judgeLosses(_ verdict: inout Verdict) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        var isSettled = false
        while !isSettled, ContinuousClock.now < deadline {
            try await FaultStrike.wait(1)
            guard let health = watch.health(of: .counter), let history = try? await reader.read() else { continue }
            let counted = Int((health["accepted"] ?? 0) + (health["late"] ?? 0))
            verdict.framesLost = verdict.framesSent - counted
            verdict.framesMissingTold = Int(health["missing"] ?? 0)
            let isTold = verdict.framesLost == verdict.framesMissingTold
            isSettled = isTold && Int(history.coveredSeconds.rounded()) == counted && health["waiting"] == 0
        }
        guard isSettled else {
            return verdict.note("the losses were not told in \(Int(Self.patienceSeconds)) s", holds: false)
        }
        if !fault.losesFrames, verdict.framesLost > 0 { verdict.note("frames were lost", holds: false) }
        if await !system.isComplete { verdict.note("a service ended by itself", holds: false) }
        try await judgeSurvivors(&verdict)
    }

    /// The frames that were not lost count to what they count to without a fault. One that came when those after it had
    /// been counted is counted by itself, so that its steps may differ: such devices are compared by their frames only.
    private func judgeSurvivors(_ verdict: inout Verdict) async throws {
        let late = watch.lateDevices
        await system.end(.counter)
        let frames = try await CountedFrames(
            of: input.sent, directory: system.directory.appendingPathComponent(ServiceName.counter.rawValue))
        // It goes on, because it tells what a silent device's signal still holds back when it is sure of the silence.
        try await system.launch(.counter)
        let truth = Workload.truth(of: frames.counted)
        let differences = await HistoryReader(bus: reader.bus, workload: reader.workload, ignored: late)
            .differences(from: truth, patienceSeconds: Self.patienceSeconds)
        let minutes = truth.filter { !late.contains($0.key) }.values.reduce(0) { $0 + $1.count }
        verdict.note(
            differences.isEmpty
                ? "\(minutes) minutes of what was not lost or late equal to the step"
                : "\(differences.count) minutes differ: \(differences[0])", holds: differences.isEmpty)
        if frames.lostCount != verdict.framesLost {
            verdict.note("the store lacks \(frames.lostCount) frames", holds: false)
        }
        if !late.isEmpty { verdict.note("\(late.count) devices had late frames: compared by frame") }
    }
}
