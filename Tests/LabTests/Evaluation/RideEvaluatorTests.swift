@testable import Lab
import Testing

@Suite("Simulated rides")
struct RideEvaluatorTests {
    private let easy = RideConditions.frame(secondToFirstRatio: 1, signalToNoise: 3)

    @Test("The true cadence of a second is that of the turn in it; a crank that takes four seconds stands still")
    func cadence() {
        let turns: [Int64] = [1_200_000, 2_200_000, 2_950_000, 9_000_000, 9_500_000]
        #expect(SettledSecond.cadence(turns, seconds: 10) == [0, 60, 80, 0, 0, 0, 0, 0, 0, 120])
    }

    @Test("A second is right, off, off by an octave, silent, or false at rest")
    func second() {
        var ride = RideResult(conditions: easy, trueRevolutions: 200, revolutions: 198, steps: 3, seconds: 150)
        ride.add(truth: 80, reported: 82, confidence: 0.9)
        ride.add(truth: 80, reported: 158, confidence: 0.9)
        ride.add(truth: 80, reported: 41, confidence: 0.9)
        ride.add(truth: 80, reported: 0, confidence: 0)
        ride.add(truth: 0, reported: 80, confidence: 0.9)
        ride.add(truth: 0, reported: 0, confidence: 0)
        #expect(ride.movingSeconds == 4 && ride.silentSeconds == 1 && ride.octaveSeconds == 2)
        #expect(ride.restSeconds == 2 && ride.falseSeconds == 1)
        #expect(ride.absoluteErrors == [2] && ride.rightSeconds == 1)
        #expect(ride.confidence.bins[9].seconds == 3 && ride.confidence.bins[9].right == 1)
        #expect(ride.revolutionError == 1)
    }

    @Test("A ride is the same whenever it is simulated, and its report has a line")
    func ride() throws {
        let evaluator = RideEvaluator(seconds: 60)
        let ride = try evaluator.result(easy, seed: 7)
        #expect(try evaluator.result(easy, seed: 7) == ride)
        #expect(ride.trueRevolutions > 20 && ride.movingSeconds > 20)
        #expect(RideReport(rides: [ride]).tableLines.count == 2)
    }

    @Test("A worn sensor hears the cadence that is asked for, and the counter need not be told where it is")
    func worn() throws {
        for device in [EvaluatedDevice(), EvaluatedDevice(rateHz: 25, hasGyroscope: false, isConfigured: false)] {
            let ride = try RideEvaluator(seconds: 120, device: device).result(.worn(.ankle, rpm: 60), seed: 3)
            #expect((70...100).contains(ride.trueRevolutions))
            #expect(ride.movingSeconds > 40 && ride.restSeconds > 5)
        }
    }
}
