import Motion
@testable import Bodies
import Lab
import Testing

/// Walks of those who are weak, careful or ill: no two steps are alike, or one foot hardly lands.
@Suite("Uneven walks")
struct UnevenWalkTests {
    private static let seeds: ClosedRange<UInt64> = 1...3
    private static let drag = Limp(shortStepShare: 1.0 / 3, weakFootStrength: 0.3)

    /// A minute's walk with steps of which each takes another time by 12 %.
    private static func walk(
        _ stepsPerMinute: Double, _ placement: SimulatedPlacement, limp: Limp = .none, rateHz: Double = 50, seed: UInt64
    ) throws -> SimulatedWalk {
        let script = [
            WalkSegment(.stand, seconds: 8), WalkSegment(.walk(stepsPerMinute: stepsPerMinute), seconds: 60),
            WalkSegment(.stand, seconds: 1000),
        ]
        var plan = WalkPlan(
            script: script, stepVariability: limp == .none ? 0.12 : 0.02, cadenceWander: limp == .none ? 0.05 : 0.02,
            gesturesPerMinute: 0)
        plan.limp = limp
        return try SimulatedWalk(plan, placement, rateHz: rateHz, seed: seed)
    }

    @Test("Steps are counted though each takes another time", arguments: [60.0, 80, 100], [12.5, 25, 50])
    func uneven(stepsPerMinute: Double, rateHz: Double) throws {
        for (simulated, placement) in [
            (SimulatedPlacement.hip, PlacementGroup.hip), (.pocket, .pocket), (.thigh, .thigh),
        ] {
            let shares = try Self.seeds.map {
                try Self.walk(stepsPerMinute, simulated, rateHz: rateHz, seed: $0).countedShare(placement)
            }
            #expect(shares.reduce(0, +) / Double(shares.count) > 0.92)
            #expect(shares.allSatisfy { (0.8...1.04).contains($0) })
        }
    }

    @Test("Who drags a foot is counted on a leg", arguments: [80.0, 90], [12.5, 25, 50])
    func drags(stepsPerMinute: Double, rateHz: Double) throws {
        for (simulated, placement) in [
            (SimulatedPlacement.pocket, PlacementGroup.pocket), (.thigh, .thigh), (.ankle, .ankle),
        ] {
            let shares = try Self.seeds.map {
                try Self.walk(stepsPerMinute, simulated, limp: Self.drag, rateHz: rateHz, seed: $0)
                    .countedShare(placement)
            }
            #expect(shares.allSatisfy { (0.8...1.04).contains($0) }, "\(placement): \(shares)")
        }
    }

    @Test("Feet that land hard and out of time are heard, though no two jolts meet", arguments: [25.0, 50, 100])
    func jolts(rateHz: Double) throws {
        for (simulated, placement) in [
            (SimulatedPlacement.hip, PlacementGroup.hip), (.bag, .bag), (.pocket, .pocket), (.hand, .hand),
        ] {
            var (counted, steps) = (0, 0)
            for seed in UInt64(40)..<46 {
                let walk = try Self.walk(60, simulated, rateHz: rateHz, seed: seed)
                counted += PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: placement)).steps
                steps += walk.steps
            }
            let least = placement == .hand ? 0.6 : 0.88
            #expect((least...1.05).contains(Double(counted) / Double(steps)), "\(placement)")
        }
    }
}
