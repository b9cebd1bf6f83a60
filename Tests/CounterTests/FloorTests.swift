import Foundation
import Seeded
import Testing
import Wire

@testable import Counter

/// Somebody who walks, climbs stairs and walks on, with a barometer of a data sheet's noise.
private struct StairWalk {
    let walk = Walk()
    /// When the climb begins, how long it lasts (s), and how fast it goes up (m/s).
    var climb = (from: 60, seconds: 48, speed: 0.25)
    /// Pressures in each frame of a second.
    var pressuresAFrame = 1

    func pressures(second: Int) -> [Float] {
        (0..<pressuresAFrame).map { index in
            let time = Double(second) + (Double(index) + 0.5) / Double(pressuresAFrame)
            let climbed = min(max(time - Double(climb.from), 0), Double(climb.seconds)) * climb.speed
            return Float(1013.25 * pow(1 - (200 + climbed) / 44_330, 5.255))
        }
    }

    func records(seconds: Range<Int>) -> [MotionRecord] {
        walk.records(seconds: seconds).enumerated().map { index, record in
            record.changed { $0.pressuresHectopascals = pressures(second: seconds.lowerBound + index) }
        }
    }
}

@Suite("Floors, from frames to minute rows")
struct FloorTests {
    private let stairs = StairWalk()

    @Test("Stairs are floors in the minutes in which they were climbed", arguments: [1, 5])
    func climbed(pressuresAFrame: Int) {
        var stairs = stairs
        stairs.pressuresAFrame = pressuresAFrame
        let run = CountingRun(counting: stairs.records(seconds: 0..<180))
        #expect(run.sum(.floorsUp) == 4)
        #expect(run.sum(.floorsDown) == 0)
        #expect(run.sum(.pressures) == Int64(180 * pressuresAFrame))
        #expect(run.sum(.floorsUp, minute: 1) == 4)
    }

    @Test("The same height in a lift makes none")
    func lift() throws {
        var run = CountingRun()
        let records = stairs.records(seconds: 0..<180).enumerated().map { second, record in
            record.changed { frame in
                guard (55..<112).contains(second) else { return }
                frame.values = (0..<50).flatMap { _ in [0.2, 0.1, 9.81] as [Float] }
            }
        }
        run.count(records)
        run.finish()
        #expect(run.sum(.steps) > 100)
        #expect(run.sum(.floorsUp) == 0 && run.sum(.floorsDown) == 0)
    }

    @Test("Without pressures everything is as it is with them, but floors are not known")
    func without() throws {
        let with = CountingRun(counting: stairs.records(seconds: 0..<180))
        let without = CountingRun(counting: stairs.walk.records(seconds: 0..<180))
        #expect(without.sum(.pressures) == 0)
        let rows = without.totals.values.map { MinuteRow($0, epoch: 1, revision: 1) }
        #expect(rows.allSatisfy { $0.floors == nil })
        for (key, minute) in without.totals {
            var other = try #require(with.totals[key])
            (other[.floorsUp], other[.pressures]) = (0, 0)
            #expect(other == minute)
        }
        #expect(with.totals.values.allSatisfy { MinuteRow($0, epoch: 1, revision: 1).floors != nil })
    }

    @Test("A barometer on a bike tells nothing")
    func bike() {
        var run = CountingRun()
        var configuration = DeviceConfig()
        (configuration.kind, configuration.placement) = (.bike, .frame)
        run.configure(stairs.walk.device, configuration)
        run.count(stairs.records(seconds: 0..<180))
        run.finish()
        #expect(run.sum(.pressures) == 0 && run.sum(.floorsUp) == 0)
        #expect(run.totals.values.allSatisfy { MinuteRow($0, epoch: 1, revision: 1).floors == nil })
    }

    @Test("Frames that come again, or out of order, and ends of the process change no floor", arguments: 1...6)
    func accidents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let records = stairs.records(seconds: 0..<180)
        #expect(CountingRun(disturbing: records, &random).totals == CountingRun(counting: records).totals)
    }

    @Test("A barometer that sends frames of its own counts, and moves nobody's time")
    func alone() throws {
        var records: [MotionRecord] = []
        for (second, record) in stairs.walk.records(seconds: 0..<180).enumerated() {
            records.append(record.changed { $0.identity = numbered(2 * second) })
            records.append(
                record.changed { frame in
                    frame.identity = numbered(2 * second + 1)
                    frame.sensors = []
                    frame.values = []
                    frame.sampleCount = 1
                    frame.timing = .uniform(periodNanoseconds: 0)
                    frame.pressuresHectopascals = stairs.pressures(second: second)
                })
        }
        let mixed = CountingRun(counting: records)
        let plain = CountingRun(counting: stairs.walk.records(seconds: 0..<180))
        #expect(mixed.sum(.floorsUp) == 4)
        #expect(mixed.sum(.steps) == plain.sum(.steps))
        #expect(mixed.sum(.covered) == plain.sum(.covered))
        #expect(mixed.pipeline.tally.duplicate == 0)
    }

    private func numbered(_ sequence: Int) -> FrameIdentity {
        .sequenced(boot: BootID(rawValue: 1), sequence: UInt64(sequence))
    }
}
