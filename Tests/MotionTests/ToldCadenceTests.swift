import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// When a cadence of steps is told: those who wait for it see pauses in what it leaves out.
@Suite("What is told of a walk")
struct ToldCadenceTests {
    /// A stand, a walk to here and a stand, in seconds.
    private static let startSeconds = 8.0
    private static let endSeconds = 68.0
    private static let seconds = 100.0
    private static let seeds = Sweep.seeds(7600..<7604)

    @Test(
        "Who walks has a cadence without a break, and none from a few seconds after the end on",
        arguments: [SimulatedPlacement.hip, .bag, .pocket, .thigh, .wrist], [60.0, 75, 90, 110, 170])
    func walk(placement: SimulatedPlacement, stepsPerMinute: Double) throws {
        for seed in Self.seeds {
            let changes = try Self.changes(stepsPerMinute, placement, seed: seed)
            try #require(changes.map(\.isMoving) == [true, false], "\(seed): \(changes)")
            #expect(changes[0].seconds < Self.startSeconds + 16)
            #expect((-3...6).contains(changes[1].seconds - Self.endSeconds), "\(seed): \(changes)")
        }
    }

    @Test(
        "The cadence of who walks slowly stops when the feet do",
        arguments: [SimulatedPlacement.hip, .pocket], [45.0, 50])
    func slowWalk(placement: SimulatedPlacement, stepsPerMinute: Double) throws {
        for seed in Self.seeds {
            let last = try #require(Self.changes(stepsPerMinute, placement, seed: seed).last)
            #expect(!last.isMoving && (-5...8).contains(last.seconds - Self.endSeconds), "\(seed): \(last)")
        }
    }

    @Test("A walk whose rhythm is lost for some seconds goes on, as long as as much moves", arguments: [3.0, 4, 5])
    func lostRhythm(lostSeconds: Double) {
        for seed in Sweep.seeds(1...4) {
            var signal = SyntheticSignal(seed: seed)
            signal.rest(seconds: 5)
            signal.walk(seconds: 30, stepsPerSecond: 1.8)
            signal.walk(seconds: lostSeconds, stepsPerSecond: 1.8, amplitude: 0, noise: 2.5)
            signal.walk(seconds: 30, stepsPerSecond: 1.8)
            signal.rest(seconds: 15)
            let run = PipelineRun(signal.samples, .carried)
            let changes = Self.changes(run)
            #expect(changes.map(\.isMoving) == [true, false], "\(seed): \(changes)")
            #expect(run.lastActiveSecond < 5 + 60 + lostSeconds + 4)
        }
    }

    /// When somebody began or ceased to move.
    private typealias Change = (isMoving: Bool, seconds: Double)

    private static func changes(
        _ stepsPerMinute: Double, _ placement: SimulatedPlacement, seed: UInt64
    ) throws -> [Change] {
        let activity: WalkActivity =
            stepsPerMinute > 140 ? .run(stepsPerMinute: stepsPerMinute) : .walk(stepsPerMinute: stepsPerMinute)
        let script = [
            WalkSegment(.stand, seconds: startSeconds), WalkSegment(activity, seconds: endSeconds - startSeconds),
            WalkSegment(.stand, seconds: 1000),
        ]
        let plan = WalkPlan(script: script, gesturesPerMinute: 0)
        let walk = try SimulatedSignal(.walker(plan, placement), seconds: seconds, named: "walker-1", seed: seed)
        return changes(PipelineRun(walk.samples, .worn(placement)))
    }

    private static func changes(_ run: PipelineRun) -> [Change] {
        var changes: [Change] = []
        for report in run.seconds where (report.cadenceSPM > 0) != (changes.last?.isMoving ?? false) {
            let seconds = Double(report.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6
            changes.append((report.cadenceSPM > 0, seconds))
        }
        return changes
    }
}
