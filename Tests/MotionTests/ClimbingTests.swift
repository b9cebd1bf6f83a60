import Motion
@testable import Bodies
import Lab
import Testing
import trials

/// Stairs: a thigh swings as wide on them as on a pedal, and as slowly.
@Suite("Stairs")
struct ClimbingTests {
    @Test(
        "Who climbs stairs with a sensor in a pocket or on a thigh walks, and pedals nothing",
        arguments: [SimulatedPlacement.pocket, .thigh], [false, true])
    func climb(placement: SimulatedPlacement, hasGyroscope: Bool) throws {
        let sensors: SensorSet = hasGyroscope ? [.acceleration, .angularVelocity] : .acceleration
        let told: PlacementGroup = placement == .pocket ? .pocket : .thigh
        for stepsPerMinute in [75.0, 90, 100, 115] {
            let share = try Self.countedShare(placement, told, sensors, stepsPerMinute: stepsPerMinute)
            #expect((hasGyroscope ? 0.95...1.05 : 0.88...1.05).contains(share), "\(stepsPerMinute) steps a minute")
        }
    }

    @Test("Who goes down stairs with a sensor at the hip pedals nothing", arguments: [85.0, 110, 125])
    func descend(stepsPerMinute: Double) throws {
        let share = try Self.countedShare(
            .hip, .hip, .acceleration, stepsPerMinute: stepsPerMinute, stairMetres: -WalkPlan.stairMetres)
        #expect((0.95...1.03).contains(share))
    }

    /// What share of the steps is counted of eight who are on stairs for half a minute, none of whom pedals.
    private static func countedShare(
        _ placement: SimulatedPlacement, _ told: PlacementGroup, _ sensors: SensorSet, stepsPerMinute: Double,
        stairMetres: Double = WalkPlan.stairMetres
    ) throws -> Double {
        let stairs = WalkPlan.stairs(stepsPerMinute: stepsPerMinute, stairMetres: stairMetres, seconds: 30)
        let script = [WalkSegment(.stand, seconds: 8)] + stairs + [WalkSegment(.stand, seconds: 1_000)]
        let plan = WalkPlan(script: script, stepVariability: 0.04, gesturesPerMinute: 0)
        var (counted, steps) = (0, 0)
        for seed in UInt64(7_000)..<7_008 {
            let climb = try SimulatedRide(.walker(plan, placement), seconds: 50, sensors: sensors, seed: seed)
            let run = PipelineRun(climb.samples, MotionConfiguration(kind: .wearable, placement: told))
            #expect(Double(run.steps) > 0.6 * Double(climb.steps), "seed \(seed)")
            #expect(run.revolutions < 10, "seed \(seed)")
            (counted, steps) = (counted + run.steps, steps + climb.steps)
        }
        return Double(counted) / Double(steps)
    }
}
