import Motion
import Testing
import Wire

@testable import Counter

@Suite("Silence: the final zero, and nothing else")
struct SilenceTests {
    private let walk = Walk()

    /// Walks for a number of seconds, with ticks as a service gives them.
    private func run(seconds: Int, skipping skipped: Set<Int> = []) throws -> CountingRun {
        var run = CountingRun()
        for record in walk.records(seconds: 0..<seconds) {
            for quarter in 1...4 { run.tick(record.arrivalMicroseconds - 1_000_000 + Int64(quarter) * 250_000) }
            if !skipped.contains(Int((record.arrivalMicroseconds - Walk.start) / 1_000_000) - 1) { run.count([record]) }
        }
        return run
    }

    @Test("While walking, cadence is told once a second and never 0")
    func cadence() throws {
        let run = try run(seconds: 60)
        #expect(run.cadences.count >= 55)
        #expect(run.cadences.allSatisfy { ($0.cadenceSPM ?? 0) > 90 })
    }

    @Test("Who falls silent reads one final 0 within 3 s")
    func finalZero() throws {
        var run = try run(seconds: 40)
        let told = run.cadences.count
        let end = Walk.start + 40_000_000
        for step in 1...11 { run.tick(end + Int64(step) * 250_000) }
        #expect(run.cadences.count == told)
        for step in 12...80 { run.tick(end + Int64(step) * 250_000) }
        #expect(run.cadences.count == told + 1)
        #expect(run.cadences.last?.cadenceSPM == 0)
    }

    @Test("One lost message never reads 0", arguments: [10, 20, 31])
    func oneLost(second: Int) throws {
        let run = try run(seconds: 45, skipping: [second])
        #expect(run.cadences.allSatisfy { ($0.cadenceSPM ?? 0) > 0 })
    }

    @Test(
        "What is held back is shown and stands in its minute at the silence, and is not counted twice",
        arguments: [false, true])
    func pauseOfTheNetwork(isRestarted: Bool) throws {
        let plain = CountingRun(counting: walk.records(seconds: 0..<90))

        var paused = CountingRun()
        paused.count(walk.records(seconds: 0..<45))
        paused.tick(Walk.start + 45_000_000)
        paused.tick(Walk.start + 48_000_000)
        let shown = try #require(paused.stepTotals.last)
        #expect(abs(Int64(shown) - 81) <= 4)
        #expect(paused.sum(.steps) == Int64(shown))
        paused.tick(Walk.start + 106_000_000)
        #expect(paused.sum(.steps) == Int64(shown))
        #expect(paused.sum(.active) > 40_000)
        if isRestarted { paused.restart() }
        paused.count(walk.records(seconds: 45..<90))
        paused.finish()
        #expect(paused.totals == plain.totals)
        #expect(zip(paused.stepTotals, paused.stepTotals.dropFirst()).allSatisfy { $0 < $1 })
        #expect(paused.stepTotals.last.map { Int64($0) } == plain.sum(.steps))
    }

    @Test("Totals do not go back when a signal goes on that was silent, and come to what they are without the silence")
    func monotone() throws {
        let plain = CountingRun(counting: walk.records(seconds: 0..<90))
        var paused = CountingRun()
        var totals: [Int64] = []
        for (second, record) in walk.records(seconds: 0..<90).enumerated() {
            if second % 20 == 13 {
                for tick in 1...8 { paused.tick(record.arrivalMicroseconds + Int64(tick) * 1_000_000) }
                totals.append(paused.sum(.steps))
                if second == 53 { paused.restart() }
            }
            paused.count([record])
            totals.append(paused.sum(.steps))
        }
        #expect(zip(totals, totals.dropFirst()).allSatisfy { $0 <= $1 })
        paused.finish()
        #expect(paused.totals == plain.totals)
    }

    /// Counts records with a silence after some of them, and says what each minute has.
    private func minutes(of records: [MotionRecord], silentAfter pauses: Set<Int> = []) -> [CountingRun.Minute: [Int64]]
    {
        var run = CountingRun()
        for (index, record) in records.enumerated() {
            run.tick(record.arrivalMicroseconds - 1)
            run.count([record])
            guard pauses.contains(index) else { continue }
            run.tick(record.arrivalMicroseconds)
            run.tick(record.arrivalMicroseconds + 9_000_000)
        }
        run.finish()
        return run.totals.mapValues {
            [$0[.steps], $0[.revolutions], $0[.distance], $0[.active]]
        }
    }

    @Test("Wherever the network pauses, each minute of a walk and of a ride has what it has without", arguments: 0..<4)
    func minutesOfPauses(part: Int) throws {
        let (walk, ride) = (Walk(), CrankRide(start: Walk.start + Int64(40 + 5 * part) * 1_000_000))
        for records in [walk.records(seconds: 40..<75), ride.records(seconds: 0..<35)] {
            let plain = minutes(of: records)
            #expect(plain.count == 2)
            for pause in 1..<33 where pause % 4 == part {
                #expect(minutes(of: records, silentAfter: [pause]) == plain, "a pause after frame \(pause)")
                #expect(minutes(of: records, silentAfter: [pause, pause + 2]) == plain, "two, from frame \(pause)")
            }
        }
    }

    @Test("Where many fall silent at once each look finds some, and a few looks all of them")
    func manySilent() {
        var limits = CounterLimits()
        limits.maximumSilentAtOnce = 2
        var run = CountingRun(limits: limits)
        for number in 0..<5 { run.count(Walk("walker-\(number)").records(seconds: 0..<12)) }
        let found = (0..<4).map { _ in
            let silence = run.pipeline.findSilent(nowMicroseconds: Walk.start + 16_000_000)
            run.pipeline.accept(silence)
            return silence.devices.count
        }
        #expect(found == [2, 2, 1, 0])
    }

    @Test("After ten minutes the signal is gone, its counts stay, and a device that goes on loses a step at most")
    func settled() throws {
        let plain = CountingRun(counting: walk.records(seconds: 0..<90))
        for isRestarted in [false, true] {
            var paused = CountingRun()
            paused.count(walk.records(seconds: 0..<45))
            for second in [45, 50, 60, 300, 650] as [Int64] { paused.tick(Walk.start + second * 1_000_000) }
            let settled = paused.sum(.steps)
            #expect(paused.pipeline.signalCount == 0)
            #expect(paused.states[walk.device]?.count ?? 9_999 < 1_500)
            if isRestarted { paused.restart() }
            let told = paused.live.count
            for second in [651, 700, 1_300] as [Int64] { paused.tick(Walk.start + second * 1_000_000) }
            #expect(paused.live.count == told && paused.sum(.steps) == settled)
            let late = walk.records(seconds: 45..<90).map { $0.arriving(at: Walk.start + 1_400_000_000) }
            paused.count(late)
            #expect(paused.pipeline.signalCount == 1)
            paused.finish()
            #expect(abs(paused.sum(.steps) - plain.sum(.steps)) <= 1)
            #expect(paused.sum(.covered) == plain.sum(.covered))
            #expect(zip(paused.stepTotals, paused.stepTotals.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("What a silence takes off its minute is stored with it, not with the next message", arguments: 1...8)
    func takenOff(still: Int) throws {
        var run = CountingRun()
        run.count(walk.records(seconds: 0..<45))
        for second in [45, 48, 51] as [Int64] { run.tick(Walk.start + second * 1_000_000) }
        // The signal goes on without a step, and ends before it has counted all that it held back.
        run.count(
            walk.records(seconds: 45..<45 + still).map { record in
                record.arriving(at: record.arrivalMicroseconds + 10_000_000).changed { frame in
                    for index in frame.values.indices { frame.values[index] = index % 3 == 2 ? 9.81 : 0 }
                }
            })
        let end = Walk.start + Int64(55 + still) * 1_000_000
        for seconds in [0, 4, 6, 8] as [Int64] { run.tick(end + seconds * 1_000_000) }
        let shown = run.totals
        run.tick(end + 700_000_000)
        #expect(run.totals == shown)
    }

    @Test("A restarted counter tells a silent rider's 0 once more, because the first may not have left")
    func zeroAfterRestart() throws {
        var run = CountingRun()
        run.count(walk.records(seconds: 0..<30))
        run.restart()
        run.tick(Walk.start + 31_000_000)
        run.tick(Walk.start + 40_000_000)
        #expect(run.cadences.last?.cadenceSPM == 0 || run.cadences.last?.cadenceRPM == 0)
    }

    @Test("An activity is told when it changes, and retained")
    func activity() throws {
        let run = try run(seconds: 60)
        let activities = run.live.filter { $0.encoded().channel == .activity }
        #expect(activities.allSatisfy { $0.encoded().isRetained })
        let told = activities.compactMap { if case .activity(let report) = $0.payload { report } else { nil } }
        #expect(told.count < 10)
        let walking = told.filter { $0.activity == .walking }
        #expect(walking.last?.confidence == 0.9)
        // It is told again as it grows surer: its beginning stays, and `t` is when it was so sure.
        #expect(walking.allSatisfy { $0.since == walking[0].since && $0.t >= $0.since })
        #expect(zip(walking, walking.dropFirst()).allSatisfy { $0.t < $1.t && $0.confidence < $1.confidence })
    }
}
