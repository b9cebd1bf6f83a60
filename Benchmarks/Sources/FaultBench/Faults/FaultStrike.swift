import PrivateBroker
import ServiceKit
import Foundation
import Wire

/// What goes wrong while frames are sent.
struct FaultStrike: Sendable {
    /// What was seen meanwhile.
    struct Result: Sendable {
        /// The longest time until the path worked again, where it was measured here.
        var recoverySeconds: Double?
        /// Frames that were sent beside the workload's.
        var extraFrames = 0
        /// Messages that make no sense.
        var garbage = 0
        /// What was found, in words, and whether it is as it should be.
        var findings: [(String, isHeld: Bool)] = []
    }

    let fault: Fault
    let scale: BenchScale
    let seed: UInt64
    /// A frame that any device could send.
    let template: Workload.Item?

    /// Longer than a service waits between two reports of its health, in seconds.
    private static let healthSeconds = 60.0

    func run(on system: SystemUnderTest, _ watch: BusWatch, wallSeconds: Double) async throws -> Result {
        switch fault {
        case .none, .killsInClass: return Result()
        case .kills(let plan):
            try await plan.run(
                on: system, watch, kills: scale.kills(plan), wallSeconds: wallSeconds, seed: seed)
            return Result()
        case .brokerKilled, .brokerRestarted: return try await endBroker(system, watch, wallSeconds)
        case .brokerFrozen: return try await freezeBroker(system, watch)
        case .historyAway:
            await system.kill(.history)
            return Result()
        case .network(let fault): return try await spoil(fault, system, watch)
        case .disk(let fault, let service): return try await spoil(fault, of: service, system, watch)
        case .secondInstance(let service, let sharesData):
            let second = SecondInstance(service: service, sharesData: sharesData)
            try await Self.wait(wallSeconds * second.startShare)
            return try await second.run(beside: system)
        case .deviceFlood: return try await flood(system)
        case .input(.besideGarbage): return try await sendGarbage(system, wallSeconds)
        case .input: return Result()
        }
    }

    static func wait(_ seconds: Double) async throws {
        try await ContinuousClock().sleep(for: .seconds(seconds))
    }
}

// MARK: - The broker and the network

extension FaultStrike {
    private func endBroker(_ system: SystemUnderTest, _ watch: BusWatch, _ wallSeconds: Double) async throws -> Result {
        for _ in 0..<scale.brokerEnds {
            try await Self.wait(wallSeconds / Double(scale.brokerEnds + 2))
            if fault.losesFrames {
                await system.killBroker()
                try await Self.wait(0.3)
            }
            try await system.broker.restart()
            watch.expectRecovery(of: ServiceName.allCases)
        }
        return Result()
    }

    private func freezeBroker(_ system: SystemUnderTest, _ watch: BusWatch) async throws -> Result {
        try await Self.wait(3)
        system.broker.pause()
        try await Self.wait(scale.frozenSeconds)
        system.broker.resume()
        watch.expectRecovery(of: ServiceName.allCases)
        return Result()
    }

    private func spoil(_ fault: NetworkFault, _ system: SystemUnderTest, _ watch: BusWatch) async throws -> Result {
        guard let proxy = system.proxy else { return Result() }
        let recoveries = try await fault.strike(proxy, watch, scale: scale)
        let worst = recoveries.max() ?? 0
        let times = recoveries.count > 1 ? " at most, \(recoveries.count) times" : ""
        return Result(
            recoverySeconds: worst,
            findings: [
                (
                    String(format: "back after %.1f s", worst) + times,
                    isHeld: worst <= NetworkFault.maximumRecoverySeconds
                )
            ])
    }
}

// MARK: - The disk

extension FaultStrike {
    private func spoil(
        _ fault: DiskFault, of service: ServiceName, _ system: SystemUnderTest, _ watch: BusWatch
    ) async throws -> Result {
        try await Self.wait(2)
        try await system.setDisk(of: service, bad: fault)
        try await Self.wait(scale.badDiskSeconds / 2)
        let before = try await progress(of: service, watch)
        try await Self.wait(scale.badDiskSeconds / 2)
        let after = try await progress(of: service, watch)
        try await system.setDisk(of: service, bad: nil)
        watch.expectRecovery(of: [service])
        guard fault.stopsCommits else { return Result() }
        var result = Result(findings: [("\(after - before) batches done while it was bad", isHeld: after == before)])
        if fault == .readOnly, SmallDisk.isPossible {
            result.findings.append(try await ReadOnlyStart(service: service).run(beside: system))
        }
        return result
    }

    /// What a service says, from now on, that it has committed and acknowledged.
    private func progress(of service: ServiceName, _ watch: BusWatch) async throws -> Int {
        let (now, deadline) = (Date().timeIntervalSince1970, ContinuousClock.now + .seconds(Self.healthSeconds))
        while ContinuousClock.now < deadline {
            if let health = watch.health(of: service), health.t > now {
                return Int(health["commits"] ?? 0) + Int(health["acknowledged"] ?? 0)
            }
            try await Self.wait(0.1)
        }
        throw SystemUnderTest.NotReady(description: "\(service.rawValue) says nothing while its disk is bad")
    }
}

// MARK: - Too many and too bad

extension FaultStrike {
    /// One frame of each of very many devices, while the usual ones go on.
    private func flood(_ system: SystemUnderTest) async throws -> Result {
        guard let template else { return Result() }
        let sender = FrameSender(endpoint: system.endpoint, topics: system.topics, name: "faultbench-flood")
        try await Self.wait(3)
        try await sender.sendFlood(of: scale.floodDevices, payload: template.payload)
        await sender.close()
        return Result(extraFrames: scale.floodDevices, findings: [("\(scale.floodDevices) devices more", isHeld: true)])
    }

    private func sendGarbage(_ system: SystemUnderTest, _ wallSeconds: Double) async throws -> Result {
        let sender = FrameSender(endpoint: system.endpoint, topics: system.topics, name: "faultbench-garbage")
        let device = try DeviceID("garbage")
        let sent = try await sender.sendGarbage(
            to: device, perSecond: InputFault.garbagePerSecond, wallSeconds: wallSeconds)
        await sender.close()
        return Result(
            garbage: sent, findings: [("\(Int(Double(sent) / wallSeconds)) bad messages a second", isHeld: true)])
    }
}
