import Seeded
import Testing
import Wire

@testable import History

@Suite("What was counted in a workout")
struct WorkoutFiguresTests {
    static let minute: Int64 = 29_919_900

    private func minute(_ number: Int64, revolutions: Int64 = 0, steps: Int64 = 0, active: Int64 = 60_000)
        -> TracedMinute
    {
        var sum = CountSum()
        (sum.counts.revolutions, sum.counts.steps) = (revolutions, steps)
        sum.counts.activeMilliseconds = active
        sum.counts.distanceMillimetres = revolutions * 5_000 + steps * 700
        sum.setCadence(
            RateSum(integral: Double((revolutions + steps) * 60), seconds: active / 1000, minimum: 60, maximum: 90))
        return TracedMinute(minute: Self.minute + number, sum: sum)
    }

    @Test("Without seconds a minute's activity is at its end where movement begins, and at its beginning else")
    func edges() {
        let minutes = [
            minute(0, revolutions: 30, active: 20_500), minute(1, revolutions: 80), minute(2, revolutions: 80),
            minute(3, revolutions: 40, active: 30_000), minute(9, steps: 20, active: 0),
        ].compactMap { MovingMinute($0) }
        let start = Self.minute * 60
        #expect(
            Movement.all(in: minutes) == [
                Movement(start + 39..<start + 210, isOfCrank: true),
                Movement(start + 540..<start + 600, isOfCrank: false),
            ])
    }

    @Test("With seconds a workout begins and pauses to the second, and a few steps to the window are none")
    func seconds() {
        var (one, two, far) = (minute(0, revolutions: 20), minute(1, revolutions: 20), minute(7, steps: 12))
        var trace = Trace()
        for second in 25..<60 { trace[.cadence, second] = 80 }
        for second in 30..<35 { trace[.cadence, second] = 0 }
        one.trace = trace
        trace = Trace()
        for second in 20..<60 { trace[.cadence, second] = 80 }
        two.trace = trace
        trace = Trace()
        for second in 20..<39 { trace[.cadence, second] = 80 }
        far.trace = trace
        let start = Self.minute * 60
        #expect(
            Movement.all(in: [one, two, far].compactMap { MovingMinute($0) }) == [
                Movement(start + 25..<start + 60, isOfCrank: true), Movement(start + 80..<start + 120, isOfCrank: true),
            ])
    }

    @Test("However workouts are cut, their parts are what was counted", arguments: 1...40 as ClosedRange<UInt64>)
    func parts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let minutes = (0..<12 as Range<Int64>).map { number -> TracedMinute in
            var one = minute(
                number, revolutions: .random(in: 1...95, using: &random),
                active: .random(in: 20_000...60_000, using: &random))
            guard Bool.random(using: &random) else { return one }
            var trace = Trace()
            for second in 0..<60 where Int.random(in: 0..<5, using: &random) > 0 {
                trace[.cadence, second] = .random(in: 0...100, using: &random)
                trace[.power, second] = .random(in: 0...300, using: &random)
            }
            one.trace = trace
            (one.sum.power, one.sum.step) = (trace.sum(.power), RateSum())
            return one
        }
        let (first, end) = (Self.minute * 60, (Self.minute + 12) * 60)
        let cuts = (Set((0..<7).map { _ in Int64.random(in: first + 1..<end, using: &random) }).sorted() + [end])
        var (start, sum, joules): (Int64, CountSum, Double) = (first, CountSum(), 0)
        for cut in cuts {
            let part = WorkoutFigures(WorkoutSpan(start..<cut, [Movement(start..<cut, isOfCrank: true)]), minutes)
            sum += part.sum
            joules += part.sum.power.integral
            start = cut
        }
        let whole = WorkoutFigures(WorkoutSpan(first..<end, [Movement(first..<end, isOfCrank: true)]), minutes)
        #expect(sum.counts == whole.sum.counts)
        #expect(whole.sum.counts.revolutions == minutes.reduce(0) { $0 + $1.sum.counts.revolutions })
        #expect(abs(joules - whole.sum.power.integral) < 0.001)
    }

    @Test("Energy is told by watts, else by the heart of a known body, else by the speed on foot, with its formula")
    func energy() throws {
        let year = 2026
        var body = BodyFields()
        (body.kilograms, body.born, body.sex) = (70, 1986, .male)
        let span = WorkoutSpan(Self.minute * 60..<(Self.minute + 60) * 60, [])
        var figures = WorkoutFigures(span, (0..<60).map { minute($0, steps: 100) })
        // An hour at 4.2 km/h: 70 m/min.
        let walk = try #require(WorkoutEnergy(figures, movingSeconds: 3600, body, year: year))
        #expect(walk.source == .speed && abs(walk.kilocalories - 70 * (3.5 + 7) * 60 / 1000 * 5) < 0.1)
        #expect(walk.formula.hasPrefix("ACSM, walking"))
        #expect(WorkoutEnergy(figures, movingSeconds: 3600, BodyFields(), year: year) == nil)
        figures.sum.heart = RateSum(integral: 140 * 3600, seconds: 3600, minimum: 140, maximum: 140)
        let heart = try #require(WorkoutEnergy(figures, movingSeconds: 3600, body, year: year))
        #expect(heart.source == .heart && heart.formula.hasPrefix("Keytel 2005, men"))
        #expect(abs(heart.kilocalories - (-55.0969 + 0.6309 * 140 + 0.1988 * 70 + 0.2017 * 40) / 4.184 * 60) < 0.1)
        figures.kind = .ride
        figures.sum.heart.seconds = 600
        #expect(WorkoutEnergy(figures, movingSeconds: 3600, body, year: year) == nil)
        figures.sum.power = RateSum(integral: 200 * 3600, seconds: 3600, minimum: 200, maximum: 200)
        let power = try #require(WorkoutEnergy(figures, movingSeconds: 3600, BodyFields(), year: year))
        #expect(power.source == .power && abs(power.kilocalories - 717) < 0.1)
    }
}
