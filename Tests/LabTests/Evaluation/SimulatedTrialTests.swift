@testable import Bodies
import Lab
import Testing
@testable import trials

@Suite("Simulated walks and rides")
struct SimulatedTrialTests {
    private let easy = TrialConditions.frame(secondToFirstRatio: 1, signalToNoise: 3)

    private func walk(
        _ conditions: TrialConditions, _ placement: SimulatedPlacement = .hip, seed: UInt64
    ) throws -> SimulatedTrial {
        try SimulatedTrial(conditions, placement, seconds: 60, device: EvaluatedDevice(), seed: seed)
    }

    private func walk(_ conditions: TrialConditions, truth: Int, counted: Int) -> SimulatedTrial {
        SimulatedTrial(conditions: conditions, seconds: 60, truth: (truth, 0), counted: (counted, 0))
    }

    @Test("A walk is the same whenever it is simulated, and its steps are those of its cadence")
    func sameWalk() throws {
        let trial = try walk(.twice("walk", .walk(stepsPerMinute: 100)), seed: 7)
        let again = try walk(.twice("walk", .walk(stepsPerMinute: 100)), seed: 7)
        #expect(again.truth == trial.truth && again.counted == trial.counted && again.cadence == trial.cadence)
        #expect((45...65).contains(trial.truth.steps))
        #expect(trial.stepError != nil && trial.revolutionError == nil)
    }

    @Test("A ride is the same whenever it is simulated, and its table has a line")
    func sameRide() throws {
        let ride = try SimulatedTrial(easy, .frame, seconds: 60, device: EvaluatedDevice(), seed: 7)
        let again = try SimulatedTrial(easy, .frame, seconds: 60, device: EvaluatedDevice(), seed: 7)
        #expect(again.truth == ride.truth && again.counted == ride.counted && again.cadence == ride.cadence)
        #expect(ride.truth.revolutions > 20 && ride.cadence.movingSeconds > 20)
        #expect(TrialTable(rides: [ride], on: .frame).table.lines.count == 2)
    }

    @Test("A worn sensor hears the cadence that is asked for, and the counter need not be told where it is")
    func worn() throws {
        for device in [EvaluatedDevice(), EvaluatedDevice(rateHz: 25, hasGyroscope: false, isConfigured: false)] {
            let ride = try SimulatedTrial(.worn(.ankle, rpm: 60), .ankle, seconds: 120, device: device, seed: 3)
            #expect((70...100).contains(ride.truth.revolutions))
            #expect(ride.cadence.movingSeconds > 40 && ride.cadence.restSeconds > 5)
        }
    }

    @Test("The true cadence of a second is that of the turn in it; a crank that takes four seconds stands still")
    func trueCadence() {
        let turns: [Int64] = [1_200_000, 2_200_000, 2_950_000, 9_000_000, 9_500_000]
        #expect(SimulatedTrial.cadence(turns, seconds: 10) == [0, 60, 80, 0, 0, 0, 0, 0, 0, 120])
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
            walk(.twice("run", .run(stepsPerMinute: 170)), truth: 100, counted: 99),
            walk(.twice("run", .run(stepsPerMinute: 170)), truth: 100, counted: 104), try walk(.stand, .wrist, seed: 1),
        ]
        #expect(walks[2].truth.steps == 0 && walks[2].stepError == nil)
        let lines = TrialTable(walks: walks).table.lines
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ") == ["run", "170", "2", "2.5", "4.0", "1.015", "0.0"])
    }
}
