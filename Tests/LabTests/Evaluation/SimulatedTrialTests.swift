@testable import Lab
import Testing

@Suite("Simulated walks and rides")
struct SimulatedTrialTests {
    private let easy = RideConditions.frame(secondToFirstRatio: 1, signalToNoise: 3)

    private func walk(
        _ conditions: WalkConditions, _ placement: SimulatedPlacement = .hip, seed: UInt64
    ) throws -> SimulatedTrial<WalkConditions> {
        try SimulatedTrial(conditions, placement, seconds: 60, device: EvaluatedDevice(), seed: seed)
    }

    private func walk(
        _ conditions: WalkConditions, truth: Int, counted: Int
    ) -> SimulatedTrial<WalkConditions> {
        SimulatedTrial(conditions, .wrist, seconds: 60, truth: (truth, 0), counted: (counted, 0))
    }

    @Test("A walk is the same whenever it is simulated, and its steps are those of its cadence")
    func sameWalk() throws {
        let trial = try walk(.walk(stepsPerMinute: 100), seed: 7)
        #expect(try walk(.walk(stepsPerMinute: 100), seed: 7) == trial)
        #expect((45...65).contains(trial.truth.steps))
        #expect(trial.stepError != nil && trial.revolutionError == nil)
    }

    @Test("A ride is the same whenever it is simulated, and its table has a line")
    func sameRide() throws {
        let ride = try SimulatedTrial(easy, .frame, seconds: 60, device: EvaluatedDevice(), seed: 7)
        #expect(try SimulatedTrial(easy, .frame, seconds: 60, device: EvaluatedDevice(), seed: 7) == ride)
        #expect(ride.truth.revolutions > 20 && ride.cadence.movingSeconds > 20)
        #expect(TrialTable(rides: [ride]).lines.count == 2)
    }

    @Test("Errands are many short bouts with steps in them")
    func errands() throws {
        let errands = try walk(.errands, seed: 3)
        #expect((30...110).contains(errands.truth.steps))
        #expect(errands.stepError != nil)
        #expect(WalkConditions.all(on: .hip).contains(.errands))
    }

    @Test("Hands hold on to something only where the sensor is at the wrist, and each handle has its words")
    func hold() throws {
        let behindCart = WalkConditions.hold(.cart, .run(stepsPerMinute: 150))
        #expect(WalkConditions.all(on: .wrist).contains(behindCart))
        #expect(!WalkConditions.all(on: .hip).contains(behindCart))
        #expect(behindCart.words == "behind a cart run 150")
        #expect(WalkConditions.hold(.rail, .walk(stepsPerMinute: 90)).words == "holding a rail 90")
    }

    @Test("A worn sensor hears the cadence that is asked for, and the counter need not be told where it is")
    func worn() throws {
        for device in [EvaluatedDevice(), EvaluatedDevice(rateHz: 25, hasGyroscope: false, isConfigured: false)] {
            let ride = try SimulatedTrial(RideConditions.worn(rpm: 60), .ankle, seconds: 120, device: device, seed: 3)
            #expect((70...100).contains(ride.truth.revolutions))
            #expect(ride.cadence.movingSeconds > 40 && ride.cadence.restSeconds > 5)
        }
    }

    @Test("The true cadence of a second is that of the turn in it; a crank that takes four seconds stands still")
    func trueCadence() {
        let turns: [Int64] = [1_200_000, 2_200_000, 2_950_000, 9_000_000, 9_500_000]
        #expect(SettledSecond.cadence(turns, seconds: 10) == [0, 60, 80, 0, 0, 0, 0, 0, 0, 120])
    }

    @Test("A second is right, off, off by an octave, silent, or false at rest")
    func second() {
        var cadence = CadenceTally()
        for reported in [82.0, 158, 41] { cadence.add(truth: 80, reported: reported, confidence: 0.9) }
        cadence.add(truth: 80, reported: 0, confidence: 0)
        cadence.add(truth: 0, reported: 80, confidence: 0.9)
        cadence.add(truth: 0, reported: 0, confidence: 0)
        #expect(cadence.movingSeconds == 4 && cadence.silentSeconds == 1 && cadence.octaveSeconds == 2)
        #expect(cadence.restSeconds == 2 && cadence.falseSeconds == 1)
        #expect(cadence.absoluteErrors == [2] && cadence.rightSeconds == 1)
        #expect(cadence.confidence.bins[9].seconds == 3 && cadence.confidence.bins[9].right == 1)
    }

    @Test("Conditions share a line, and every step of one who stands is false")
    func lines() throws {
        let walks = [
            walk(.run(stepsPerMinute: 170), truth: 100, counted: 99),
            walk(.run(stepsPerMinute: 170), truth: 100, counted: 104), try walk(.stand, .wrist, seed: 1),
        ]
        #expect(walks[2].truth.steps == 0 && walks[2].stepError == nil)
        let lines = TrialTable(walks: walks).lines
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ") == ["run", "170", "2", "2.5", "4.0", "1.015", "0.0"])
    }

    @Test("The shares of silent seconds and of reports at rest are in the line")
    func shares() throws {
        var day = walk(.day, truth: 100, counted: 99)
        for reported in [110.0, 110, 110, 0] { day.cadence.add(truth: 110, reported: reported, confidence: 1) }
        for reported in [110.0, 0] { day.cadence.add(truth: 0, reported: reported, confidence: 1) }
        let cells = try #require(TrialTable(walks: [day]).lines.last).split(separator: " ")
        #expect(cells.suffix(4) == ["0.990", "25.0", "50.0", "0.0"])
        let regular = try walk(.walk(stepsPerMinute: 110), seed: 7).cadence
        #expect(regular.movingSeconds > 10 && regular.silentSeconds == 0 && regular.falseSeconds == 0)
    }
}
