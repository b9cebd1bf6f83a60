import ServiceKit
import Foundation
import StrideClient
import Wire

/// One fault, tried on a system of its own.
struct FaultTrial: Sendable {
    let fault: Fault
    let usualWorkload: Workload
    let executable: URL
    let scale: BenchScale
    let seed: UInt64

    /// Tries the fault; whatever goes wrong is a verdict.
    func run() async -> Verdict {
        let begin = ContinuousClock.now
        var verdict = Verdict(fault: fault)
        do {
            let system = try await SystemUnderTest(executable: executable, for: fault)
            let watch = BusWatch(
                endpoint: system.brokerEndpoint, topics: system.topics, notesArrivals: fault.goesByArrival)
            let memory = MemoryWatch()
            do {
                try await system.start(watch)
                memory.start(system)
                if case .killsInClass = fault {
                    let trial = ClassTrial(executable: executable, scale: scale, seed: seed)
                    try await trial.run(on: system, watch, &verdict)
                } else {
                    try await disturb(system, watch, &verdict)
                }
            } catch {
                verdict.note("\(error)", holds: false)
            }
            memory.stop()
            verdict.kills += await system.kills
            judge(memory, &verdict)
            await watch.close()
            await system.stop()
        } catch {
            verdict.note("\(error)", holds: false)
        }
        verdict.seconds = begin.duration(to: .now) / .seconds(1)
        return verdict
    }

    private func disturb(_ system: SystemUnderTest, _ watch: BusWatch, _ verdict: inout Verdict) async throws {
        var workload = usualWorkload
        var input = InputCase(sent: workload.items, counted: workload.items)
        if case .input(let fault) = fault {
            workload = fault.workload(usual: workload, seed: seed)
            input = fault.applied(to: workload.items, seed: seed)
        }
        verdict.framesSent = input.sent.count
        verdict.holds = true
        let strike = FaultStrike(fault: fault, scale: scale, seed: seed, template: workload.items.first)
        let result = try await send(input.sent, system, watch, strike)
        for (text, isHeld) in result.findings { verdict.note(text, holds: isHeld) }
        verdict.framesSent += result.extraFrames
        let recovery = max(result.recoverySeconds ?? 0, watch.worstRecoverySeconds)
        verdict.recoverySeconds = recovery > 0 ? recovery : nil
        let revived = try await system.launchMissing()
        watch.expectRecovery(of: revived)
        let bus = try StrideBus(endpoint: system.brokerEndpoint)
        let judge = FaultJudge(
            fault: fault, system: system, watch: watch, reader: HistoryReader(bus: bus, workload: workload),
            input: input, sentWithoutFault: workload.items.count, garbage: result.garbage)
        try await judge.judge(&verdict)
        await bus.close()
    }

    /// Sends the frames while the fault strikes.
    private func send(
        _ frames: [Workload.Item], _ system: SystemUnderTest, _ watch: BusWatch, _ strike: FaultStrike
    ) async throws -> FaultStrike.Result {
        let sender = FrameSender(endpoint: system.endpoint, topics: system.topics, name: "faultbench-devices")
        let wallSeconds = scale.wallSeconds(fault)
        let sending = Task { try await sender.send(frames, wallSeconds: wallSeconds) }
        do {
            let result = try await strike.run(on: system, watch, wallSeconds: wallSeconds)
            try await sending.value
            await sender.close()
            return result
        } catch {
            sending.cancel()
            throw error
        }
    }

    private func judge(_ memory: MemoryWatch, _ verdict: inout Verdict) {
        guard let (name, peak) = memory.peak.max(by: { $0.value < $1.value }) else { return }
        verdict.memory = Verdict.Memory(
            service: name.rawValue, beforeMegabytes: memory.before[name] ?? 0, peakMegabytes: peak,
            afterMegabytes: memory.after[name] ?? 0, boundMegabytes: fault.maximumMegabytes)
        let bound = fault.maximumMegabytes
        if peak > bound { verdict.note("\(Int(peak)) MB are more than \(Int(bound))", holds: false) }
    }
}
