import Lab
import Testing

@testable import Motion

/// Strides that are felt below the knee and over before a period is sure.
@Suite("Swings of a shank")
struct SwingTests {
    private static let ankle = MotionConfiguration(kind: .wearable, placement: .ankle)

    /// What moves so much in each 0.2 s, m/s², after a while at rest.
    private static func history(_ movement: [Float]) -> MovementEnvelope {
        var history = MovementEnvelope()
        var square: Float = 0
        for (index, deviation) in ([Float](repeating: 0.05, count: 8) + movement).enumerated() {
            square += (deviation * deviation - square) * 0.393_469
            history.push(square.squareRoot(), tick: Int64(1000 + index) * MovementEnvelope.spacingTicks)
        }
        return history
    }

    /// So many swings with so much movement, and what is left of it between them.
    private static func swings(_ count: Int, height: Float = 8, rest: Float = 0.8, gap: Int = 6) -> [Float] {
        let stance = [Float](repeating: rest, count: gap - 3)
        return (0..<count).flatMap { _ in [0.8 * height, height, 0.7 * height] + stance } + [0.1, 0.05, 0.05, 0.05]
    }

    private static func bout(_ movement: [Float], share: Float = 0.45, recentRate: Float = 0) -> SwingTrain.Bout? {
        SwingTrain.with(movement: history(movement), norm: history(movement.map { $0 * share })) {
            $0.bout(since: 0, endedBefore: .max, recentRate: recentRate)
        }
    }

    @Test("The history tells what moved in each of its entries")
    func squares() {
        let history = Self.history([3, 0.5, 4])
        var squares = [Float](repeating: -1, count: 3)
        squares.withUnsafeMutableBufferPointer { history.lay(squares: $0) }
        for (square, deviation) in zip(squares, [Float(3), 0.5, 4]) {
            #expect(abs(square.squareRoot() - deviation) < 0.05)
        }
    }

    @Test("Swings with rests between them are strides, from three on", arguments: [3, 4, 6])
    func strides(count: Int) throws {
        let bout = try #require(Self.bout(Self.swings(count)))
        #expect(bout.count == count)
        #expect(abs(Double(bout.last - bout.first) - 1.2e6 * Double(count - 1)) < 1e5)
        #expect(Self.bout(Self.swings(2)) == nil)
    }

    @Test("Two are where someone walked as fast a short while ago")
    func recalled() {
        #expect(Self.bout(Self.swings(2), recentRate: 1.7)?.count == 2)
        #expect(Self.bout(Self.swings(2), recentRate: 2.2) == nil)
    }

    @Test("What hardly rests, moves too little or too rarely, only turns, or only goes up and down is no stride")
    func others() {
        #expect(Self.bout(Self.swings(5, rest: 6)) == nil)
        #expect(Self.bout(Self.swings(5, height: 2.4)) == nil)
        #expect(Self.bout(Self.swings(4, gap: 14)) == nil)
        #expect(Self.bout(Self.swings(4), share: 0.08) == nil)
        #expect(Self.bout(Self.swings(4), share: 0.9) == nil)
    }

    @Test("A leg that hardly pauses in its turns goes round")
    func turns() {
        let turn: [Float] = [5, 7, 6, 6, 5, 4, 1, 2]
        #expect(Self.bout([turn, turn, turn, turn, [0.1, 0.05, 0.05, 0.05]].flatMap { $0 }) == nil)
    }

    @Test("A bout that something goes on with waits, and the one before it is counted")
    func waits() throws {
        let movement = Self.swings(3) + [Float](repeating: 0.05, count: 12) + Self.swings(3)
        let history = Self.history(movement)
        let end = history.endMicroseconds
        let bout = SwingTrain.with(movement: history, norm: Self.history(movement.map { $0 * 0.45 })) {
            $0.bout(since: 0, endedBefore: end - 2_400_000, recentRate: 0)
        }
        #expect(try #require(bout).count == 3)
        #expect(try #require(bout).last < end - 4_000_000)
    }

    @Test("Errands about a house are counted below the knee, however slowly it is sampled", arguments: [12.5, 25, 100])
    func errands(rateHz: Double) throws {
        var (counted, steps) = (0, 0)
        for seed in UInt64(660)..<663 {
            let walk = try SimulatedWalk(.errands, .ankle, seconds: 120, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, Self.ankle)
            #expect(run.revolutions == 0)
            counted += run.steps
            steps += walk.steps
        }
        #expect(abs(counted - steps) * 8 <= steps)
    }

    @Test("A few turns of a crank are no strides", arguments: [40.0, 65, 90])
    func crank(rpm: Double) throws {
        let script = (0..<40).flatMap { index in
            [
                RideSegment(.rest, seconds: 4),
                RideSegment(.pedal(rpm: rpm + Double(index % 5)), seconds: 2 + Double(index % 4)),
            ]
        }
        for seed in UInt64(670)..<673 {
            let ride = try SimulatedRide(
                .wearingRider(RidePlan(script: script, wanderRPM: 1.5), .ankle), seconds: 80, sensors: .acceleration,
                rateHz: 25, seed: seed)
            #expect(PipelineRun(ride.samples, Self.ankle).steps == 0)
        }
    }
}
