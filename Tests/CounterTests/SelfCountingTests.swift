import TestBroker
import Testing

@testable import Counter
@testable import Wire

@Suite("Devices that count themselves")
struct SelfCountingTests {
    private let device: DeviceID = "bike-1"

    private func crank(
        _ cumulative: UInt64, second: Int64, sequence: UInt64? = nil, modulus: UInt64 = 65_536
    ) -> MotionRecord {
        .crank(cumulative, of: device, at: Walk.start + second * 1_000_000, sequence: sequence, modulus: modulus)
    }

    @Test("Words from before a wrap that come again count nothing, however late")
    func wrapAgain() {
        var run = CountingRun()
        let values: [UInt64] = [65_530, 65_532, 65_533, 65_535, 2, 65_533, 65_535, 2, 3, 5]
        for (value, second) in zip(values, [0, 2, 4, 6, 8, 12, 190, 192, 194, 196]) {
            run.count([crank(value, second: Int64(second))])
        }
        #expect(run.sum(.revolutions) == 11)
    }

    @Test("Any two cadence messages say how many revolutions lie between them and how long they took")
    func lastRevolution() throws {
        var run = CountingRun()
        for index in UInt64(0)..<30 { run.count([crank(index * 2, second: Int64(index) * 2, sequence: index)]) }
        let told = run.cadences.filter { $0.lastRevolutionT != nil }
        #expect(told.count > 20)
        for (earlier, later) in zip(told, told.dropFirst(7)) {
            let revolutions = try #require(later.revolutions) - #require(earlier.revolutions)
            let seconds = try #require(later.lastRevolutionT) - #require(earlier.lastRevolutionT)
            #expect(revolutions == 14 && seconds == 14)
        }
    }

    @Test("The last revolution that a signal shows is told with its time")
    func lastRevolutionOfSignal() throws {
        let ride = CrankRide(start: Walk.start)
        var run = CountingRun()
        for record in ride.records(seconds: 0..<60) { run.count([record]) }
        let told = run.cadences.filter { $0.lastRevolutionT != nil }
        #expect(told.count > 40)
        for (earlier, later) in zip(told, told.dropFirst(10)) {
            let revolutions = try #require(later.revolutions) - #require(earlier.revolutions)
            let seconds = try #require(later.lastRevolutionT) - #require(earlier.lastRevolutionT)
            #expect(abs(Double(revolutions) - seconds * 1.1) < 0.5)
        }
    }

    @Test("The first messages count the same in whatever order they come, before and after a restart")
    func overtaken() {
        for order in [[0, 1, 2, 3], [1, 0, 2, 3], [2, 0, 1, 3], [3, 2, 1, 0], [2, 3, 0, 1, 2, 3, 0]] {
            for restartsAfter in 0..<4 {
                var run = CountingRun()
                for (index, number) in order.enumerated() {
                    run.count([
                        crank(65_530 + UInt64(number) * 6 & 0xFFFF, second: Int64(number) * 5, sequence: UInt64(number))
                    ])
                    if index == restartsAfter { run.restart() }
                }
                #expect(run.sum(.revolutions) == 18 && run.sum(.covered) == 15_000_000, "\(order)")
            }
        }
    }

    @Test("A cadence between two event times is exact, and without them even over a few messages")
    func cadenceOfCounts() throws {
        for hasEvents in [true, false] {
            var run = CountingRun()
            for second in 0..<30 {
                let made = second * 3 / 2
                var record = crank(UInt64(made), second: Int64(second), sequence: UInt64(second))
                if hasEvents, case .revolutions(var count) = record.content {
                    count.lastEventTime1024 = UInt16(truncatingIfNeeded: made * 1024 * 2 / 3)
                    record.content = .revolutions(count)
                }
                run.count([record])
            }
            let told = run.cadences.dropFirst(8).compactMap(\.cadenceRPM)
            #expect(told.count >= 20)
            #expect(told.allSatisfy { abs($0 - 90) <= (hasEvents ? 0.2 : 8) })
        }
    }

    @Test("A count that jumps beyond what a crank can, and goes on from there, begins anew, and is told")
    func implausible() {
        var run = CountingRun()
        run.count([
            crank(0, second: 0, sequence: 0, modulus: 0), crank(9_000_000, second: 1, sequence: 1, modulus: 0),
            crank(9_000_001, second: 2, sequence: 2, modulus: 0), crank(9_000_003, second: 3, sequence: 3, modulus: 0),
        ])
        run.tick(Walk.start + 10_000_000)
        #expect(run.sum(.revolutions) == 3)
        #expect(run.health?.problem?.contains("9000000, 1 s after 0") == true)
    }

    @Test("Words that come again 1 to 4 s late show no other cadence", arguments: [1_300_000, 2_600_000, 4_100_000])
    func repeatedLate(delay: Int64) {
        var messages: [(arrival: Int64, index: Int)] = []
        for index in 0..<60 {
            let arrival = Walk.start + Int64(index) * 1_000_000
            messages += [(arrival, index), (arrival + delay, index)]
        }
        var run = CountingRun()
        for message in messages.sorted(by: { $0.arrival < $1.arrival }) {
            let turned = message.index * 4 / 3
            let event = UInt16(truncatingIfNeeded: turned * 768)
            run.count([.crank(UInt64(1_000 + turned), of: device, at: message.arrival, event: event)])
        }
        #expect(run.sum(.revolutions) == 78)
        // The crank stands when the last of its turns comes once more.
        let ridden = run.cadences.dropFirst(6).filter { $0.t < Double(Walk.start) / 1e6 + 60 }.compactMap(\.cadenceRPM)
        #expect(ridden.count > 40)
        #expect(ridden.allSatisfy { abs($0 - 80) < 1 })
    }

    @Test("Words without a time that come again after a kill do not look like a sensor that began anew")
    func repeatedFromTheFirstTurns() {
        let turned = [0, 2, 5, 7, 10, 13, 15, 18, 22]
        var run = CountingRun()
        for (second, place) in [0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8].enumerated() {
            let arrival = Walk.start + Int64(second) * 2_000_000
            let event = UInt16(turned[place] * 768)
            run.count([.crank(UInt64(turned[place]), of: device, at: arrival, event: event)])
        }
        #expect(run.sum(.revolutions) == 22)
    }
}
