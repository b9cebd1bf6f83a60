import Seeded
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("Each frame is counted once, in order")
struct CountedOnceTests {
    /// Counted once for all tests: the run without any accident.
    private static let accidentFree = CountingRun(counting: Walk().records(seconds: 0..<150))

    private let walk = Walk()
    private let records = Walk().records(seconds: 0..<150)
    private let truth = Self.accidentFree

    @Test("A walk of 150 s at 1.8 steps a second has its steps, in its minutes")
    func walkIsCounted() {
        #expect(abs(truth.sum(.steps) - 270) <= 6)
        #expect(truth.sum(.covered) == 150_000_000)
        #expect(truth.sum(.covered, minute: 0) == 60_000_000)
        #expect(truth.totals.count == 3)
    }

    @Test("A device that says that gravity is taken away is believed before its signal tells")
    func withoutGravity() {
        var later = walk
        later.stillUntil = 2.5
        let told = later.records(seconds: 0..<60).map { record in
            record.changed { frame in
                frame.sensors.insert(.gravityRemoved)
                guard case .sequenced(_, let second) = frame.identity else { return }
                for index in frame.values.indices where index % 3 == 2 { frame.values[index] -= 9.81 }
                // What is left at first would be taken for gravity in g.
                for index in frame.values.indices where index % 3 == 0 && second < 2 { frame.values[index] += 1 }
            }
        }
        let run = CountingRun(counting: told)
        #expect(abs(run.sum(.steps) - 104) <= 4)
    }

    @Test("A device that ingest refused as one too many takes the place of none that it accepted")
    func refusedDevices() throws {
        var limits = CounterLimits()
        limits.maximumDevices = 1
        var pipeline = CounterPipeline(limits: limits)
        for number in 0..<3 {
            let refusal = MotionContent.refusal(.tooManyDevices, count: 1)
            pipeline.accept(
                MotionRecord(device: "other-\(number)", arrivalMicroseconds: 0, content: refusal))
        }
        for record in records.prefix(5) { pipeline.accept(record) }
        #expect(pipeline.tally.refused == 3)
        #expect(pipeline.tally.accepted == 5)
        #expect(pipeline.tally.devices == 1)
    }

    @Test("Devices that send nothing but junk take few places, and those that can be counted are")
    func strangers() throws {
        var limits = CounterLimits()
        limits.maximumDevices = 10
        limits.maximumRefusedDevices = 2
        var run = CountingRun(limits: limits)
        for number in 0..<20 {
            let refusal = MotionContent.refusal(.malformed, count: 1)
            run.count([
                MotionRecord(
                    device: "junk-\(number)", arrivalMicroseconds: Walk.start, content: refusal)
            ])
        }
        for number in 0..<8 { run.count(Walk("walker-\(number)").records(seconds: 0..<1)) }
        #expect(run.pipeline.tally.devices == 10)
        #expect(run.pipeline.tally.accepted == 8)
        #expect(run.pipeline.tally.refused == 20)
        let told = run.live.filter { if case .health(let health) = $0.payload { !health.ok } else { false } }
        #expect(Set(told.map(\.device.description)) == ["junk-0", "junk-1"])
    }

    @Test(
        "Cut in any way, overtaken, given again and over restarts, a walk has the same totals to the bit, which only grow",
        arguments: 1...12)
    func accidents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (cut, start) = ([MotionRecord](), 0)
        while start < 7500 {
            let end = min(7500, start + Int.random(in: 1...120, using: &random))
            cut.append(walk.record(start..<end, sequence: UInt64(cut.count)))
            start = end
        }
        let run = CountingRun(disturbing: cut, &random)
        #expect(run.totals == truth.totals)
        #expect(zip(run.stepTotals, run.stepTotals.dropFirst()).allSatisfy { $0 < $1 })
        #expect(run.stepTotals.last.map { Int64($0) } == run.sum(.steps))
    }

    @Test("Frames that wait for an earlier one survive a restart")
    func waitingSurvives() {
        var run = CountingRun()
        run.count(Array(records[0..<50]))
        run.count(Array(records[51..<53]))
        #expect(run.pipeline.tally.waiting == 2)
        run.restart()
        run.count([records[50]])
        run.count(Array(records[53...]))
        run.finish()
        #expect(run.totals == truth.totals)
        #expect(run.pipeline.tally.received == 150 - 52 + 2)
    }

    @Test("Missing frames are counted as missing, and what is around them goes on")
    func loss() {
        let run = CountingRun(counting: records.enumerated().filter { $0.offset % 10 != 5 }.map(\.element))
        #expect(run.pipeline.tally.missing == 15)
        #expect(run.pipeline.tally.accepted == 135)
        #expect(run.sum(.covered) == 135_000_000)
    }

    @Test("A backlog sent after later frames is counted in its own minutes and not told as duplicate")
    func lateBacklog() {
        var run = CountingRun()
        run.count(Array(records[0..<30]) + Array(records[120..<150]))
        #expect(run.pipeline.tally.missing == 90)
        let late = Array(records[30..<120]).map { $0.arriving(at: records[149].arrivalMicroseconds) }
        run.count(late)
        run.count(late)
        run.finish()
        #expect(run.pipeline.tally.late == 90)
        #expect(run.pipeline.tally.duplicate == 90)
        #expect(run.pipeline.tally.missing == 0)
        #expect(run.sum(.covered, minute: 1) == 60_000_000)
        #expect(abs(run.sum(.steps, minute: 1) - truth.sum(.steps, minute: 1)) <= 6)
    }

    @Test("A backlog that comes newest first covers its time")
    func reversedBacklog() {
        var run = CountingRun()
        run.count(Array(records[0..<30]) + Array(records[120..<150]))
        run.count(records[30..<120].reversed().map { $0.arriving(at: records[149].arrivalMicroseconds) })
        run.finish()
        #expect(run.pipeline.tally.late == 90)
        #expect(run.sum(.covered) == 150_000_000)
    }

    @Test("A frame of the boot before that comes after the first one of the next covers its time")
    func bootsAcrossEachOther() {
        var next = walk
        next.boot = 2
        let late = records[1].arriving(at: records[70].arrivalMicroseconds)
        let run = CountingRun(counting: [next.records(seconds: 70..<71)[0], late] + next.records(seconds: 71..<150))
        #expect(run.sum(.covered) == 81_000_000)
    }

    @Test("A recording of an earlier time, sent under a boot of its own, covers its time")
    func recordingOfItsOwn() {
        var recording = walk
        recording.boot = 2
        var run = CountingRun()
        run.count(Array(records[0..<10]) + Array(records[130..<150]))
        run.count(recording.records(seconds: 20..<80).map { $0.arriving(at: records[149].arrivalMicroseconds) })
        run.finish()
        #expect(run.sum(.covered) == 90_000_000)
    }

    @Test("Beyond the most signals frames are refused and told, and counted when another device is settled")
    func noSignal() throws {
        var limits = CounterLimits()
        limits.maximumSignals = 2
        var run = CountingRun(limits: limits)
        let walkers = (0..<3).map { Walk("walker-\($0)") }
        run.tick(Walk.start)
        for walker in walkers { run.count(walker.records(seconds: 0..<12)) }
        #expect(run.pipeline.signalCount == 2 && run.pipeline.tally.refused == 12)
        #expect(run.health?.refusedByReason[.tooManyDevices] ?? 0 > 0 && run.health?.ok == false)
        for second in [12, 20, 700] as [Int64] { run.tick(Walk.start + second * 1_000_000) }
        #expect(run.pipeline.signalCount == 0)
        run.count(walkers[2].records(seconds: 12..<30).map { $0.arriving(at: Walk.start + 701_000_000) })
        run.finish()
        #expect(run.pipeline.tally.refused == 12)
        #expect(run.sum(.covered) == 42_000_000)
    }

    @Test("Frames that there was no room for are counted at most once, however often starts replay them")
    func noSignalThenReplayed() throws {
        var limits = CounterLimits()
        limits.maximumSignals = 1
        let walkers = (0..<2).map { Walk("walker-\($0)") }
        let records = walkers.flatMap { $0.records(seconds: 0..<12) }
        var refusing = CountingRun(limits: limits)
        refusing.count(records)
        #expect(refusing.pipeline.tally.refused == 12)
        // It ends before anything is stored, and so does the start after it; the next one stores half.
        var run = CountingRun(limits: limits)
        for end in [9, 18, 24] {
            for (position, record) in records.prefix(end).enumerated() {
                run.pipeline.accept(record, replayedFrom: UInt64(position) + 1)
            }
            if end > 9 { run.commit() }
            run.restart()
        }
        for (position, record) in records.enumerated() {
            run.pipeline.accept(record, replayedFrom: UInt64(position) + 1)
        }
        run.count(records)
        run.finish()
        #expect(run.sum(.covered) == 24_000_000)
    }

    @Test("A device too many is told so by name, once, and what is known of the others stays")
    func noRoom() throws {
        var run = CountingRun(limits: CounterLimits(maximumDevices: 1))
        for name in ["a", "b"] as [DeviceID] { run.count(Walk(name).records(seconds: 0..<5)) }
        let told = run.live.compactMap { output in
            if case .health(let health) = output.payload, output.device == "b" { health } else { nil }
        }
        #expect(told.map(\.ok) == [false] && told.first?.refusedByReason == [.tooManyDevices: 1])
        #expect(run.pipeline.tally.refused == 5 && run.pipeline.tally.accepted == 5)
    }

    @Test("A gym that falls silent at once is committed in parts, first what changed first, and every rider reads 0")
    func silentGym() throws {
        var run = CountingRun()
        let walkers = (0..<10).map { Walk("walker-\($0)") }
        run.tick(Walk.start)
        for walker in walkers { run.count(walker.records(seconds: 0..<12)) }
        run.pipeline.accept(run.pipeline.findSilent(nowMicroseconds: Walk.start + 40_000_000))
        let last = walkers[9].device
        let part = run.pipeline.takeCommit(atMost: 3, with: [last])
        #expect(part.states.map(\.device) == walkers.prefix(3).map(\.device) + [last])
        #expect(run.pipeline.takeCommit().states.map(\.device) == walkers[3..<9].map(\.device))
        run.tick(Walk.start + 40_000_000)
        let silent = run.live.filter { output in
            if case .cadence(let report) = output.payload { report.cadenceSPM == 0 } else { false }
        }
        #expect(Set(silent.map(\.device)).count == walkers.count)
    }
}
