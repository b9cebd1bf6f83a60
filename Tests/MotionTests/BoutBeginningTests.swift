import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// A few steps across a room, again and again.
@Suite("How bouts begin")
struct BoutBeginningTests {
    private static let seeds: ClosedRange<UInt64> = Sweep.seeds(1...4)

    /// Eight bouts of so many seconds with stands between them.
    private static func walk(
        _ stepsPerMinute: Double, seconds: Double, _ placement: SimulatedPlacement, rateHz: Double, seed: UInt64
    ) throws -> SimulatedWalk {
        let bout = [
            WalkSegment(.stand, seconds: 8),
            WalkSegment(.walk(stepsPerMinute: stepsPerMinute), seconds: seconds),
        ]
        let script = (0..<8).flatMap { _ in bout } + [WalkSegment(.stand, seconds: 1000)]
        let plan = WalkPlan(script: script, gesturesPerMinute: 0)
        return try SimulatedWalk(plan, placement, seconds: Int(8 * (seconds + 10)) + 10, rateHz: rateHz, seed: seed)
    }

    @Test("The first steps of slow bouts are heard at the hip, though they are soft", arguments: [25.0, 50])
    func softFirstSteps(rateHz: Double) throws {
        for seconds in [8.0, 15] {
            for seed in Self.seeds {
                let walk = try Self.walk(90, seconds: seconds, .hip, rateHz: rateHz, seed: seed)
                #expect((0.92...1.05).contains(walk.countedShare(.hip)))
            }
        }
    }
}
