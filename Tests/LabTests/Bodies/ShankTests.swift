@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("The signal of a walker's shank")
struct ShankTests {
    private func walk(
        _ activity: WalkActivity, seed: UInt64, rateHz: Double = 200, part: SensorPart = .lsm6dso
    ) throws -> Recorded {
        let plan = WalkPlan(
            script: [WalkSegment(activity, seconds: 1_000)], cadenceWander: 0.001, gesturesPerMinute: 0)
        var device = SimulatedDevice(
            id: try DeviceID("shank"), actor: .walker(plan, .ankle),
            sampling: SimulatedSampling(rateHz: rateHz, part: part), startMicroseconds: 0, seed: seed)
        #expect(device.actor.placement == .ankle)
        _ = Recorded(&device, frames: 4)
        return Recorded(&device, frames: 20)
    }

    /// The length of the angular velocity of every row, rad/s.
    private func rates(_ recorded: Recorded) -> [Double] {
        let (x, y, z) = (recorded.column(3), recorded.column(4), recorded.column(5))
        return x.indices.map { (x[$0] * x[$0] + y[$0] * y[$0] + z[$0] * z[$0]).squareRoot() }
    }

    @Test("A walker's shank swings at 4 to 7 rad/s, and a runner's at 7 to 16", arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func swing(seed: UInt64) throws {
        let walked = rates(try walk(.walk(stepsPerMinute: 110), seed: seed))
        #expect((4...7.5).contains(walked.max() ?? 0))
        let run = rates(try walk(.run(stepsPerMinute: 165), seed: seed))
        #expect((7...16).contains(run.max() ?? 0))
    }

    @Test("A shank turns once a stride", arguments: [50.0, 80, 110, 130])
    func stride(stepsPerMinute: Double) throws {
        let recorded = try walk(.walk(stepsPerMinute: stepsPerMinute), seed: 4)
        let line = strongestLine((3..<6).map(recorded.column), from: 0.3, to: 0.7 * stepsPerMinute / 60, rateHz: 200)
        #expect(abs(line - stepsPerMinute / 120) < 0.05)
    }

    @Test("Its own foot's landing jolts it by 2 to 5 g, and the other foot's hardly", arguments: [UInt64(1), 2, 3, 4])
    func landing(seed: UInt64) throws {
        let recorded = try walk(.walk(stepsPerMinute: 110), seed: seed)
        let magnitudes = recorded.magnitudes
        let peaks = recorded.events.dropLast().map { event in
            let row = Int((Double(event.microseconds) / 1e6 - 4) * 200)
            return (magnitudes[max(row, 0)..<min(row + 10, magnitudes.count)].max() ?? 0) / 9.81
        }
        let sides = [0, 1].map { side in
            mean(peaks.indices.filter { $0 % 2 == side }.map { peaks[$0] })
        }.sorted()
        #expect((1...2.6).contains(sides[0]))
        #expect((2...5.5).contains(sides[1]))
    }

    @Test("While the foot stands, the shank feels gravity and turns slowly")
    func stance() throws {
        let recorded = try walk(.walk(stepsPerMinute: 100), seed: 5)
        let (magnitudes, rates) = (recorded.magnitudes, rates(recorded))
        let quiet = magnitudes.indices.filter { rates[$0] < 1.5 && abs(magnitudes[$0] - 9.81) < 2 }
        #expect((0.25...0.6).contains(Double(quiet.count) / Double(magnitudes.count)))
        #expect((9...10.6).contains(mean(quiet.map { magnitudes[$0] })))
    }

    @Test("The mean of what it feels is gravity, however the walker goes up or down")
    func gravity() throws {
        let activities: [WalkActivity] = [
            .walk(stepsPerMinute: 110), .run(stepsPerMinute: 160), .climb(stepsPerMinute: 90, stairMetres: 0.17),
            .climb(stepsPerMinute: 90, stairMetres: -0.17),
        ]
        for activity in activities {
            let recorded = try walk(activity, seed: 6)
            #expect((28...60).contains(recorded.truth.steps))
            #expect((9...32).contains(mean(recorded.magnitudes)))
        }
        #expect(deviation(try walk(.stand, seed: 6).magnitudes) < 0.15)
    }

    @Test("A part that is set to 2 g saturates there")
    func saturation() throws {
        let recorded = try walk(.run(stepsPerMinute: 165), seed: 3, part: .lsm6dso.ranging(toGravities: 2))
        for column in 0..<3 { #expect(recorded.column(column).allSatisfy { abs($0) <= 2 * 9.81 }) }
        #expect(recorded.magnitudes.contains { $0 > 2 * 9.7 })
    }
}
