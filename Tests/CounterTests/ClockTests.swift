import Seeded
import Testing
import Wire

@testable import Counter

@Suite("The time of a frame")
struct ClockTests {
    private let walk = Walk()

    private func resolve(_ records: [MotionRecord], _ clock: inout DeviceClock) -> [FrameSpan] {
        var sequence = FrameSequence()
        return records.compactMap { record in
            guard case .frame(let frame) = record.content else { return nil }
            var uptime: Int64?
            if case .uptime(let microseconds) = frame.time {
                uptime = sequence.utc(
                    ofUptime: microseconds, boot: nil, duration: frame.durationMicroseconds,
                    arrival: record.arrivalMicroseconds)
            }
            return clock.resolve(frame, arrival: record.arrivalMicroseconds, uptimeUTC: uptime)
        }
    }

    @Test("A clock before 2020 or ahead of the arrival is not believed: arrival, then the number of samples")
    func insane() {
        for (error, problem) in [(Int64(3_600_000_000), ClockProblem.ahead), (-Walk.start, .unset)] {
            var clock = DeviceClock()
            let records = walk.records(seconds: 0..<5).map { record in
                record.changed { frame in
                    guard case .utc(let microseconds) = frame.time else { return }
                    frame.time = .utc(microseconds: microseconds + error)
                }
            }
            let spans = resolve(records, &clock)
            #expect(spans.map(\.start) == (0..<5).map { Walk.start + $0 * 1_000_000 })
            #expect(spans.map(\.source) == [.arrival, .samples, .samples, .samples, .samples])
            #expect(clock.problem == problem)
        }
    }

    @Test("An uptime is put on UTC by the fastest message, and late messages do not move it")
    func uptime() {
        var clock = DeviceClock()
        let records = walk.records(seconds: 0..<60).enumerated().map { index, record in
            record.changed { $0.time = .uptime(microseconds: 5_000_000 + Int64(index) * 1_000_000) }
                .arriving(at: record.arrivalMicroseconds + (index % 7 == 3 ? 1_500_000 : 0))
        }
        let spans = resolve(records, &clock)
        #expect(spans.map(\.start) == (0..<60).map { Walk.start + $0 * 1_000_000 })
        #expect(clock.source == .uptime)
    }

    @Test("Late frames with an uptime go to their own time, and do not move the clock")
    func lateUptime() throws {
        let records = walk.records(seconds: 0..<180).enumerated().map { index, record in
            record.changed { $0.time = .uptime(microseconds: 5_000_000 + Int64(index) * 1_000_000) }
        }
        var run = CountingRun()
        run.count(Array(records[0..<20]) + Array(records[100..<180]))
        run.count(records[20..<100].map { $0.arriving(at: records[179].arrivalMicroseconds) })
        run.finish()
        #expect(run.pipeline.tally.late == 80)
        for minute in 0..<3 { #expect(run.sum(.covered, minute: Int64(minute)) == 60_000_000) }
    }

    @Test("Missing frames take their time on a device without a clock")
    func sequenceTime() {
        var clock = DeviceClock()
        let records = walk.records(seconds: 0..<10).map { $0.changed { $0.time = .absent } }
        let spans = resolve(records.filter { $0 != records[4] && $0 != records[5] }, &clock)
        #expect(spans.map(\.start) == [0, 1, 2, 3, 6, 7, 8, 9].map { Walk.start + $0 * 1_000_000 })
    }

    @Test("Samples never go back: jittering stamps squeeze frames, and no sample is lost")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        var clock = DeviceClock()
        let records = walk.records(seconds: 0..<100).map { record in
            record.changed { frame in
                guard case .utc(let microseconds) = frame.time else { return }
                frame.time = .utc(microseconds: microseconds + .random(in: -40_000...40_000, using: &generator))
            }
        }
        let spans = resolve(records, &clock)
        for (earlier, later) in zip(spans, spans.dropFirst()) { #expect(earlier.end <= later.start) }
        #expect(spans.allSatisfy { $0.length >= $0.duration / 2 })
        #expect(abs(spans[99].end - Walk.start - 100_000_000) <= 40_000)
    }

    @Test("A clock that jumps an hour to and fro changes no count")
    func jumping() {
        let records = walk.records(seconds: 0..<60)
        let plain = CountingRun(counting: records)
        var jumping = CountingRun()
        jumping.count(
            records.enumerated().map { index, record in
                record.changed { frame in
                    guard index % 5 == 4, case .utc(let microseconds) = frame.time else { return }
                    frame.time = .utc(microseconds: microseconds + (index % 2 == 0 ? 3_600_000_000 : -3_600_000_000))
                }
            })
        jumping.finish()
        #expect(jumping.totals == plain.totals)
    }

    @Test("A clock that is set back is followed after a while")
    func setBack() {
        var clock = DeviceClock()
        let records = walk.records(seconds: 0..<40).enumerated().map { index, record in
            record.changed { frame in
                guard index >= 10, case .utc(let microseconds) = frame.time else { return }
                frame.time = .utc(microseconds: microseconds - 1_800_000_000)
            }
        }
        let spans = resolve(records, &clock)
        #expect(spans[10].start == Walk.start + 10_000_000)
        #expect(spans.filter { $0.startsAnew }.count == 1)
        #expect(spans[39].start == Walk.start + 39_000_000 - 1_800_000_000)
        #expect(clock.problem == .none)
    }
}
