@testable import Lab
import Testing

@Suite("Simulated walks")
struct WalkEvaluatorTests {
    @Test("A walk is the same whenever it is simulated, and its steps are those of its cadence")
    func walk() throws {
        let evaluator = WalkEvaluator(placement: .hip, seconds: 60)
        let walk = try evaluator.result(.walk(stepsPerMinute: 100), seed: 7)
        #expect(try evaluator.result(.walk(stepsPerMinute: 100), seed: 7) == walk)
        #expect((45...65).contains(walk.trueSteps))
        #expect(walk.stepError != nil)
    }

    @Test("Errands are many short bouts, of which steps are told")
    func errands() throws {
        let errands = try WalkEvaluator(placement: .hip, seconds: 60).result(.errands, seed: 3)
        #expect((30...110).contains(errands.trueSteps))
        #expect(errands.stepError != nil)
        #expect(WalkConditions.all(on: .hip).contains(.errands))
    }

    @Test("What hands hold on to is asked of the wrist alone, and has its words")
    func hold() throws {
        let behindCart = WalkConditions.hold(.cart, .run(stepsPerMinute: 150))
        #expect(WalkConditions.all(on: .wrist).contains(behindCart))
        #expect(!WalkConditions.all(on: .hip).contains(behindCart))
        #expect(behindCart.words == "behind a cart run 150")
        #expect(WalkConditions.hold(.rail, .walk(stepsPerMinute: 90)).words == "holding a rail 90")
    }

    @Test("Who stands makes no steps, so that each that is counted is false; each condition has a line")
    func stand() throws {
        let evaluator = WalkEvaluator(placement: .wrist, seconds: 60)
        let walks = [
            WalkResult(conditions: .run(stepsPerMinute: 170), trueSteps: 100, steps: 99, revolutions: 0, seconds: 60),
            WalkResult(conditions: .run(stepsPerMinute: 170), trueSteps: 100, steps: 104, revolutions: 0, seconds: 60),
            try evaluator.result(.stand, seed: 1),
        ]
        #expect(walks[2].trueSteps == 0 && walks[2].stepError == nil)
        let lines = WalkReport(walks: walks).tableLines
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ") == ["run", "170", "2", "2.5", "4.0", "1.015", "0.0"])
    }

    @Test("A second of a walk is told or silent, and one at rest told or not")
    func seconds() throws {
        var walk = WalkResult(conditions: .day, trueSteps: 100, steps: 99, revolutions: 0, seconds: 60)
        for isTold in [true, true, true, false] { walk.add(isMoving: true, isTold: isTold) }
        for isTold in [true, false] { walk.add(isMoving: false, isTold: isTold) }
        #expect(walk.movingSeconds == 4 && walk.silentSeconds == 1 && walk.restSeconds == 2 && walk.falseSeconds == 1)
        let cells = try #require(WalkReport(walks: [walk]).tableLines.last).split(separator: " ")
        #expect(cells.suffix(4) == ["0.990", "25.0", "50.0", "0.0"])
        let simulated = try WalkEvaluator(placement: .hip, seconds: 60).result(.walk(stepsPerMinute: 110), seed: 7)
        #expect(simulated.movingSeconds > 10 && simulated.silentSeconds == 0 && simulated.falseSeconds == 0)
    }
}
