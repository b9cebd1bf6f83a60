import Foundation
import Lab
import StrideClient
import Wire

/// A class of bikes with straps and power whose services are killed, beside the same class on services that nobody harms:
/// in the end both say the same of it, to the second.
struct ClassTrial: Sendable {
    let executable: URL
    let scale: BenchScale
    let seed: UInt64

    /// How long after its end everybody still rides, in seconds.
    private static let afterSeconds = 15
    /// How long both must have said the same, in seconds.
    private static let steadySeconds = 8
    /// How long they may take for it after the last frame, in seconds.
    private static let patienceSeconds = 150.0
    private static let title = "Monday hills"

    /// What is said of a class.
    private struct Outcome: Equatable {
        var classes: [ClassReport]
        var workouts: [Workout]
    }

    /// One of the two, and who asks and listens there.
    private struct Side: Sendable {
        let system: SystemUnderTest
        let watch: BusWatch
        let bus: StrideBus
    }

    func run(on system: SystemUnderTest, _ watch: BusWatch, _ verdict: inout Verdict) async throws {
        let calm = try await SystemUnderTest(executable: executable, for: .none)
        let calmWatch = BusWatch(endpoint: calm.brokerEndpoint, topics: calm.topics)
        var sides: [Side] = []
        do {
            sides.append(Side(system: system, watch: watch, bus: try StrideBus(endpoint: system.brokerEndpoint)))
            sides.append(Side(system: calm, watch: calmWatch, bus: try StrideBus(endpoint: calm.brokerEndpoint)))
            try await calm.start(calmWatch)
            try await compare(sides, &verdict)
        } catch {
            verdict.note("\(error)", holds: false)
        }
        for side in sides { await side.bus.close() }
        await calmWatch.close()
        await calm.stop()
    }

    private func compare(_ sides: [Side], _ verdict: inout Verdict) async throws {
        let riders = (1...scale.classBikes).map { "Rider \($0)" }
        let began = Date().timeIntervalSince1970
        for side in sides {
            for (number, rider) in riders.enumerated() {
                let bike = try DeviceID("bike-\(number + 1)")
                var config = DeviceConfig()
                config.kind = .bike
                try await side.bus.configure(bike, as: config)
                try await side.bus.configure(person: rider, alias: "\(rider)'s wall")
                try await side.bus.checkIn(
                    rider, on: bike, from: .instant(seconds: began - 120), team: number % 2 == 0 ? "Red" : "Blue")
            }
        }
        let start = try await startClass(on: sides.map(\.bus))
        let seconds = scale.classSeconds + Self.afterSeconds
        let workload = Workload(
            bikes: riders.count, walkers: 0, seconds: seconds, seed: seed, beginsNow: true,
            sensors: [.strap, .powerMeter])
        verdict.framesSent = workload.items.count
        verdict.holds = true
        try await withThrowingTaskGroup(of: Void.self) { group in
            for side in sides {
                group.addTask {
                    let sender = FrameSender(
                        endpoint: side.system.endpoint, topics: side.system.topics, name: "faultbench-class")
                    try await sender.send(workload.items, wallSeconds: Double(seconds))
                    await sender.close()
                }
            }
            group.addTask {
                try await KillPlan.anyInstant.run(
                    on: sides[0].system, sides[0].watch, kills: scale.classKills,
                    wallSeconds: Double(scale.classSeconds), seed: seed)
            }
            try await group.waitForAll()
        }
        try await sides[0].watch.expectRecovery(of: sides[0].system.launchMissing())
        verdict.recoverySeconds = sides[0].watch.worstRecoverySeconds
        for side in sides {
            for rider in riders {
                try await side.bus.startWorkout(person: rider, at: start)
                try await side.bus.stopWorkout(person: rider, at: start + Double(scale.classSeconds))
            }
        }
        try await judge(sides, riders, &verdict)
    }

    /// Starts the class on both in the same second.
    private func startClass(on buses: [StrideBus]) async throws -> Double {
        var request = HistoryRequest(verb: .classesStart)
        let half = scale.classSeconds / 2
        (request.title, request.lengthSeconds) = (Self.title, scale.classSeconds)
        request.steps = [
            ClassStep { ($0.lengthSeconds, $0.cadenceMinimumRPM, $0.cadenceMaximumRPM) = (half, 60, 85) },
            ClassStep { ($0.lengthSeconds, $0.powerMinimumWatts) = (half, 60) },
        ]
        while true {
            let now = Date().timeIntervalSince1970
            try await ContinuousClock().sleep(for: .seconds(now.rounded(.up) - now + 0.05))
            var starts: Set<Double> = []
            for bus in buses { starts.insert(try ClassReport(json: try await bus.ask(request)).start) }
            if let start = starts.first, starts.count == 1 { return start }
            for bus in buses { _ = try await bus.ask(HistoryRequest(verb: .classesStop)) }
        }
    }

    private func judge(_ sides: [Side], _ riders: [String], _ verdict: inout Verdict) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        var (outcomes, steady) = ([Outcome](), 0)
        while ContinuousClock.now < deadline, steady < Self.steadySeconds {
            var now: [Outcome] = []
            for side in sides { now.append(try await Self.outcome(side.bus, riders)) }
            steady = now[0] == now[1] && now == outcomes ? steady + 1 : 0
            outcomes = now
            try await ContinuousClock().sleep(for: .seconds(1))
        }
        let (harmed, calm) = (outcomes[0], outcomes[1])
        let report = calm.classes.last
        let isWhole =
            report?.riders.count == riders.count && report?.teams.count == 2
            && report?.riders.allSatisfy { $0.figures.workKilojoules ?? 0 > 0 } == true
        verdict.note("\(report?.riders.count ?? 0) riders and \(report?.teams.count ?? 0) teams", holds: isWhole)
        verdict.note(
            steady > 0
                ? "results equal to the second" : "results differ: \(Self.text(harmed)) and not \(Self.text(calm))",
            holds: steady > 0)
        let titled = calm.workouts.filter { $0.classTitle == Self.title }.count
        verdict.note("\(titled) workouts with its title", holds: titled == riders.count)
        let summaries = sides.map { Self.timeless($0.watch.summary) }
        verdict.note(
            summaries[0] == summaries[1] ? "the same summary" : "another summary",
            holds: summaries[0] == summaries[1] && summaries[0] != nil)
        if await !sides[0].system.isComplete { verdict.note("a service ended by itself", holds: false) }
    }

    private static func outcome(_ bus: StrideBus, _ riders: [String]) async throws -> Outcome {
        let data: Page<ClassReport> = try await bus.askAll(HistoryRequest(verb: .historyClasses))
        var workouts: [Workout] = []
        for rider in riders { workouts += try await bus.workouts(person: rider) }
        return Outcome(classes: data.rows.compactMap(timeless), workouts: workouts)
    }

    /// A report but for when it was made.
    private static func timeless(_ report: ClassReport?) -> ClassReport? {
        var report = report
        report?.t = 0
        return report
    }

    private static func text(_ outcome: Outcome) -> String {
        let lines = outcome.classes.map { $0.encodedJSON() } + outcome.workouts.map { $0.encodedJSON() }
        return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }
}
