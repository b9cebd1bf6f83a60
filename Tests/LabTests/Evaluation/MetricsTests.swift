import Testing
import Wire

@testable import Lab
@testable import trials

@Suite("Metrics")
struct MetricsTests {
    @Test("The median of an even count is between the middle two, and nine in ten errors are at most the p90")
    func distribution() throws {
        let even = try #require(ErrorDistribution([4, 1, 3, 2]))
        #expect(even.median == 2.5)
        #expect(even.mean == 2.5)
        #expect(even.ninetiethPercentile == 4)
        let ten = try #require(ErrorDistribution((1...10).map(Double.init)))
        #expect(ten.ninetiethPercentile == 9)
        #expect(try #require(ErrorDistribution([7])).ninetiethPercentile == 7)
        #expect(ErrorDistribution([]) == nil)
    }

    @Test("Errors of a recording are in percent of its steps, and none where no step was made")
    func percentage() {
        #expect(result(truth: 200, steps: 190).absolutePercentageError == 5)
        #expect(result(truth: 0, steps: 3).absolutePercentageError == nil)
        #expect(result(truth: nil, steps: 3).absolutePercentageError == nil)
    }

    @Test("A group's total and false steps are of all its recordings together")
    func group() throws {
        let walks = GroupResult(key: key, results: [result(truth: 100, steps: 90), result(truth: 300, steps: 300)])
        #expect(walks.totalRatio == 0.975)
        #expect(walks.stepErrors?.mean == 5)
        #expect(walks.falseStepsPerMinute == nil)
        let still = GroupResult(key: key, results: [result(truth: 0, steps: 3), result(truth: 0, steps: 0)])
        #expect(still.falseStepsPerMinute == 0.75)
        #expect(still.stepErrors == nil)
        #expect(GroupResult.all(of: [result(truth: nil, steps: 3)]).isEmpty)
    }

    @Test(
        "What was done decides the class, and what is called a walk but has no step is none",
        arguments: [
            ("walk (treadmill)", nil, ActivityClass.walk), ("non-walk daily activity", 0, .other),
            ("running", 300, .run), ("stationary cycling (exercise bike)", 0, .bike), ("walk", 0, .other),
            ("driving", 0, .vehicle), ("phone at rest, still", 0, .still), ("stationary (sitting)", 0, .still),
            ("arm exercise (bicep curls)", 0, .gesture), ("simulated daily activities (lab circuit)", 120, .walk),
            ("hiking", 900, .walk), ("sitting, typing", 0, .still), ("clapping", 0, .gesture),
            ("home by bus", 0, .vehicle),
        ] as [(String, Int?, ActivityClass)])
    func classes(activity: String, trueSteps: Int?, expected: ActivityClass) {
        #expect(ActivityClass(activity: activity, trueSteps: trueSteps) == expected)
    }

    private let key = GroupKey(folder: "set", placement: .wrist, activity: .walk)

    private func result(truth: Int?, steps: Int) -> RecordingResult {
        RecordingResult(
            file: "set/a.csv", subject: "", key: key, minutes: 2, trueSteps: truth, steps: steps, revolutions: 0,
            activitySeconds: [])
    }
}
