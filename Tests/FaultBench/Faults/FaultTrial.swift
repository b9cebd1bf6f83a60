import EmbeddedBroker
import Foundation
import StrideClient
import Wire

/// One fault, tried on a system of its own.
struct FaultTrial: Sendable {
    let fault: Fault
    let workload: Workload
    let executable: URL
    let kills: Int
    let wallSeconds: Double
    let seed: UInt64

    /// How long the totals may take to be right after the faults have stopped, in seconds.
    private static let patienceSeconds = 60.0
    /// How often the broker is killed.
    private static let brokerKills = 2
    /// How long the broker stands still: longer than two keep-alives.
    private static let frozenSeconds = 12.0
    /// How long a disk stays full.
    private static let fullSeconds = 8.0
    /// Messages a second of the device that sends garbage.
    private static let garbagePerSecond = 1_000

    /// Tries the fault; whatever goes wrong is a verdict.
    func run() async -> Verdict {
        let begin = ContinuousClock.now
        var verdict = Verdict(
            fault: fault.name, holds: false, kills: 0, framesSent: 0, framesLost: 0, framesMissingTold: 0, seconds: 0,
            detail: "")
        do {
            let system = try await SystemUnderTest(
                executable: executable, keepsMessages: fault.keepsMessages, smallDisk: fault.smallDisk)
            let watch = BusWatch(endpoint: system.endpoint, topics: system.topics)
            do {
                try await system.start(watch)
                try await disturb(system, watch, &verdict)
            } catch {
                verdict.detail = "\(error)"
            }
            verdict.kills += await system.kills
            await watch.close()
            await system.stop()
        } catch {
            verdict.detail = "\(error)"
        }
        verdict.seconds = Double(begin.duration(to: .now) / .milliseconds(1)) / 1000
        return verdict
    }

    private func disturb(_ system: SystemUnderTest, _ watch: BusWatch, _ verdict: inout Verdict) async throws {
        var (sent, counted) = (workload.items, workload.items)
        if case .input(let input) = fault { (sent, counted) = input.applied(to: workload.items, seed: seed) }
        verdict.framesSent = sent.count
        let sender = FrameSender(endpoint: system.endpoint, topics: system.topics, name: "faultbench-devices")
        let frames = sent
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sender.send(frames, wallSeconds: wallSeconds) }
            group.addTask { try await strike(system) }
            try await group.waitForAll()
        }
        await sender.close()
        try await system.launchMissing()
        let bus = try StrideBus(endpoint: system.endpoint)
        let reader = HistoryReader(bus: bus, workload: workload)
        if fault.losesFrames {
            try await judgeLosses(reader, watch, &verdict)
        } else {
            let truth = Workload.truth(of: counted)
            try await judgeTotals(reader, truth, &verdict)
            try await judgeTelling(watch, sent: counted.count, &verdict)
        }
        await bus.close()
        if watch.regressions > 0 {
            verdict.holds = false
            verdict.detail += "; totals went back \(watch.regressions) times"
        }
        guard await system.isComplete else {
            verdict.holds = false
            verdict.detail += "; a service ended by itself"
            return
        }
    }
}

// MARK: - What goes wrong

extension FaultTrial {
    private func strike(_ system: SystemUnderTest) async throws {
        switch fault {
        case .none: return
        case .kills(let plan): try await plan.run(on: system, kills: kills, wallSeconds: wallSeconds, seed: seed)
        case .brokerKilled:
            for _ in 0..<Self.brokerKills {
                try await wait(wallSeconds / Double(Self.brokerKills + 2))
                await system.killBroker()
                try await wait(0.3)
                try await system.broker.restart()
            }
        case .brokerFrozen:
            try await wait(wallSeconds / 3)
            system.broker.pause()
            try await wait(Self.frozenSeconds)
            system.broker.resume()
        case .diskFull:
            try await wait(wallSeconds / 4)
            try await system.setDiskFull(true)
            try await wait(Self.fullSeconds)
            try await system.setDiskFull(false)
        case .input(.besideGarbage): try await sendGarbage(system)
        case .input: return
        }
    }

    private func sendGarbage(_ system: SystemUnderTest) async throws {
        let sender = FrameSender(endpoint: system.endpoint, topics: system.topics, name: "faultbench-garbage")
        let device = try DeviceID("garbage")
        let garbage = Task { try await sender.sendGarbage(to: device, perSecond: Self.garbagePerSecond) }
        try await wait(wallSeconds)
        garbage.cancel()
        _ = try? await garbage.value
        await sender.close()
    }

    private func wait(_ seconds: Double) async throws {
        try await ContinuousClock().sleep(for: .seconds(seconds))
    }
}

// MARK: - What must hold

extension FaultTrial {
    /// Every minute of every device is what an uninterrupted counter makes of the same frames.
    private func judgeTotals(
        _ reader: HistoryReader, _ truth: Workload.Truth, _ verdict: inout Verdict
    ) async throws {
        let differences = await reader.differences(from: truth, patienceSeconds: Self.patienceSeconds)
        verdict.holds = differences.isEmpty
        let minutes = truth.values.reduce(0) { $0 + $1.count }
        verdict.detail =
            differences.isEmpty
            ? "\(minutes) minutes equal to the step" : "\(differences.count) minutes differ: \(differences[0])"
    }

    /// Frames that never came are told, and a disk that was full has made commits fail.
    private func judgeTelling(_ watch: BusWatch, sent: Int, _ verdict: inout Verdict) async throws {
        if case .input(.thinned) = fault {
            verdict.framesLost = workload.items.count - sent
            verdict.framesMissingTold = try await told("missing", by: .counter, watch) { $0 == verdict.framesLost }
            if verdict.framesMissingTold != verdict.framesLost { verdict.holds = false }
        }
        if case .diskFull(let service) = fault {
            let failures = try await told("commit_failures", by: service, watch) { $0 > 0 }
            verdict.detail += "; \(failures) commits failed meanwhile"
            if failures == 0 { verdict.holds = false }
        }
    }

    /// A counter of a service's health, as soon as it is as wished, and else what it was at the last.
    private func told(
        _ name: String, by service: ServiceName, _ watch: BusWatch, isWished: (Int) -> Bool
    ) async throws -> Int {
        var value = 0
        for _ in 0..<Self.healthSeconds {
            value = Int(watch.health(of: service)?[name] ?? 0)
            if isWished(value) { break }
            try await wait(1)
        }
        return value
    }

    /// Longer than a service waits between two reports of its health, in seconds.
    private static let healthSeconds = 12

    /// What the broker lost is told frame by frame, and everything else is in history.
    private func judgeLosses(_ reader: HistoryReader, _ watch: BusWatch, _ verdict: inout Verdict) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while ContinuousClock.now < deadline {
            try await wait(1)
            guard let health = watch.health(of: .counter), let history = try? await reader.read() else { continue }
            let counted = Int((health["accepted"] ?? 0) + (health["late"] ?? 0))
            verdict.framesLost = verdict.framesSent - counted
            verdict.framesMissingTold = Int(health["missing"] ?? 0)
            let covered = Int(history.coveredSeconds.rounded())
            verdict.detail = "\(counted) frames counted, \(covered) s in history"
            verdict.holds = verdict.framesLost == verdict.framesMissingTold && covered == counted
            if verdict.holds, health["waiting"] == 0 { return }
        }
        verdict.holds = false
    }
}
