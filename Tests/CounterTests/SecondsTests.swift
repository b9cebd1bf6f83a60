import TestBroker
import Testing

@testable import Counter
@testable import Wire

@Suite("The seconds of a movement")
struct SecondsTests {
    /// The cadence of all seconds, added up: in steps or revolutions.
    private func counted(_ run: CountingRun) -> Double {
        run.totals.values.compactMap(\.trace).reduce(0) { sum, trace in
            sum + (0..<Trace.seconds).reduce(0) { $0 + Double(trace[.cadence, $1] ?? 0) / 60 }
        }
    }

    /// Counts records, and again with a kill and a pause after each.
    private func runs(_ records: [MotionRecord]) -> [CountingRun] {
        var (whole, broken) = (CountingRun(), CountingRun())
        whole.count(records)
        for record in records {
            broken.count([record])
            broken.commit()
            broken.restart()
        }
        whole.finish()
        broken.finish()
        return [whole, broken]
    }

    @Test("A walk has its cadence from its first second to its last")
    func walk() {
        var walk = Walk("walker-1")
        (walk.stillUntil, walk.stillFrom) = (10, 50)
        let runs = runs(walk.records(seconds: 0..<70))
        for run in runs {
            let steps = Double(run.sum(.steps))
            #expect(steps > 65 && (0.97...1.03).contains(counted(run) / steps), "\(counted(run)) of \(steps)")
        }
        #expect(runs[0].totals.mapValues(\.trace) == runs[1].totals.mapValues(\.trace))
    }

    @Test("A ride has its cadence from its first second to its last")
    func ride() {
        let runs = runs(CrankRide(start: Walk.start).records(seconds: 0..<30))
        for run in runs {
            let turns = Double(run.sum(.revolutions))
            #expect(turns > 30 && (0.97...1.03).contains(counted(run) / turns), "\(counted(run)) of \(turns)")
        }
        #expect(runs[0].totals.mapValues(\.trace) == runs[1].totals.mapValues(\.trace))
    }
}
