import Testing
import Wire

@testable import Counter

@Suite("Boots, restarts of the numbers, and frames without a number")
struct BootTests {
    private let walk = Walk()

    @Test("A reboot begins new numbers; frames of the boot before are still known")
    func reboot() throws {
        var walk = Walk()
        let first = walk.records(seconds: 0..<40)
        walk.boot = 2
        let second = (40..<80).map { walk.record($0 * 50..<($0 + 1) * 50, sequence: UInt64($0 - 40)) }
        let run = CountingRun(counting: first + second + first + second)
        #expect(run.pipeline.tally.accepted == 80)
        #expect(run.pipeline.tally.duplicate == 80)
        #expect(run.sum(.covered) == 80_000_000)
    }

    @Test("Numbers that begin again within a boot are counted when the device's clock proves them new, and told")
    func restartProvenByClock() throws {
        let first = walk.records(seconds: 0..<40)
        let second = (40..<80).map { walk.record($0 * 50..<($0 + 1) * 50, sequence: UInt64($0 - 40)) }
        var run = CountingRun()
        run.count(first + second)
        run.count(first + second)
        #expect(run.pipeline.tally.accepted == 80)
        #expect(run.sum(.covered) == 80_000_000)
        run.tick(Walk.start + 200_000_000)
        #expect(run.health?.problem?.contains("without a new boot") == true)
    }

    @Test("Without a clock, numbers that went back are not counted, and that is told")
    func restartWithoutClock() throws {
        let first = walk.records(seconds: 0..<40).map { $0.changed { $0.time = .absent } }
        let again = first.map { $0.arriving(at: $0.arrivalMicroseconds + 40_000_000) }
        var run = CountingRun()
        run.count(first + again)
        #expect(run.pipeline.tally.accepted == 40)
        #expect(run.pipeline.tally.duplicate + run.pipeline.tally.stale == 40)
    }

    @Test("A counter of 16 bits goes on after 65,535", arguments: [true, false])
    func wrap(hasClock: Bool) throws {
        var run = CountingRun()
        for second in 0..<60 {
            let sequence = UInt64((65_536 - 30 + second) % 65_536)
            let record = walk.record(second * 50..<(second + 1) * 50, sequence: sequence)
            run.count([hasClock ? record : record.changed { $0.time = .absent }])
        }
        run.finish()
        #expect(run.pipeline.tally.accepted == 60)
        #expect(run.pipeline.tally.missing == 0)
    }

    /// What a broker delivers again when ingest has died is up to 2,000 messages.
    private func unnumbered(_ seconds: Range<Int>, hasClock: Bool = true) throws -> [MotionRecord] {
        return walk.records(seconds: seconds).map { record in
            record.changed { frame in
                if case .utc(let time) = frame.time {
                    frame.identity = .unsequenced(contentHash: UInt64(bitPattern: time) &* 0x9e37_79b9)
                    if !hasClock { frame.time = .uptime(microseconds: time - Walk.start + 5_000_000) }
                }
            }
        }
    }

    @Test("Frames without a number that come again are known, however many came since", arguments: [true, false])
    func manyAgain(hasClock: Bool) throws {
        let records = try unnumbered(0..<1_800, hasClock: hasClock)
        var run = CountingRun(counting: records)
        let (steps, covered) = (run.sum(.steps), run.sum(.covered))
        run.restart()
        run.count(records.map { $0.arriving(at: records[1_799].arrivalMicroseconds + 2_000_000) })
        run.finish()
        #expect(run.pipeline.tally.duplicate == 1_800)
        #expect(run.sum(.steps) == steps && run.sum(.covered) == covered)
    }

    @Test("A frame without a number that fills a gap is counted, and once")
    func gapWithoutNumber() throws {
        let records = try unnumbered(0..<600)
        let (late, others) = (records[200], records[0..<200] + records[201..<600])
        let arrival = records[599].arrivalMicroseconds
        let run = CountingRun(counting: others + ([late] + others).map { $0.arriving(at: arrival) })
        #expect(run.pipeline.tally.late == 1)
        #expect(run.pipeline.tally.duplicate == 599)
        #expect(run.sum(.covered) == 600_000_000)
    }

    @Test("A clock that is set back, of frames without a number, goes on to be counted")
    func setBackWithoutNumber() throws {
        let before = try unnumbered(0..<600)
        // The clock goes back by 100 s; other samples come at its pace.
        let after = try unnumbered(500..<900).enumerated().map { index, record in
            record.changed { $0.identity = .unsequenced(contentHash: UInt64(index)) }
                .arriving(at: record.arrivalMicroseconds + 100_000_000)
        }
        let run = CountingRun(counting: before + after)
        #expect(run.pipeline.tally.duplicate <= 12)
    }

    @Test("An earlier boot that goes on sending is counted and told: two devices may use one id")
    func interleavedBoots() throws {
        let one = Walk()
        var other = one
        other.boot = 2
        var run = CountingRun()
        for second in 0..<20 {
            run.count([one, other].map { $0.record(second * 50..<(second + 1) * 50, sequence: UInt64(second)) })
        }
        run.tick(Walk.start + 100_000_000)
        #expect(run.pipeline.tally.accepted + run.pipeline.tally.late == 40)
        #expect(run.health?.problem?.contains("two devices") == true)
    }

    @Test("Gaps are bounded, and what was in a forgotten one is stale")
    func gapsAreBounded() {
        var gaps = SequenceGaps()
        for index in 0..<UInt64(200) { gaps.insert(index * 10..<index * 10 + 3) }
        #expect(gaps.rangeCount == SequenceGaps.maximumRanges)
        #expect(!gaps.contains(1))
        #expect(gaps.contains(1991))
        let wasMissing = gaps.remove(1991)
        #expect(wasMissing)
        #expect(!gaps.contains(1991))
        #expect(gaps.contains(1990) && gaps.contains(1992))
    }

    @Test("More frames than the window holds give the missing one up")
    func windowIsBounded() throws {
        let records = walk.records(seconds: 0..<200)
        var run = CountingRun()
        // All arrive at one instant, so that only their number can end the waiting.
        run.count(records.filter { $0 != records[10] }.map { $0.arriving(at: records[0].arrivalMicroseconds) })
        #expect(run.pipeline.tally.missing == 1)
        #expect(run.pipeline.tally.accepted == 199)
    }

    @Test("Numbers at the end of their range are refused, not computed with")
    func hugeNumbers() throws {
        var run = CountingRun()
        run.count([walk.record(0..<50, sequence: 0), walk.record(50..<100, sequence: .max)])
        #expect(run.pipeline.tally.stale == 1)
    }
}

@Suite("Absurd times")
struct AbsurdTimeTests {
    @Test(
        "A frame with an absurd time proves nothing new, before a restart and after",
        arguments: [Int64.max, .min, 1 << 60])
    func absurd(microseconds: Int64) throws {
        let walk = Walk()
        let records = walk.records(seconds: 0..<20).enumerated().map { index, record in
            index == 10 ? record.changed { $0.time = .utc(microseconds: microseconds) } : record
        }
        var run = CountingRun()
        run.count(records + records)
        run.restart()
        run.count(records)
        #expect(run.pipeline.tally.duplicate == 20)
        #expect(run.sum(.covered) == 20_000_000)
    }
}
