import Seeded
import Testing

@testable import Counter
@testable import Wire

@Suite("Stops and starts of a commit")
struct CadenceTransitionsTests {
    @Test(
        "However seconds are split into commits, every stop and start is told once, with its time, in order",
        arguments: 1...50)
    func anySplit(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let stretches = (0..<12).map { number in
            [Bool](repeating: number.isMultiple(of: 2), count: .random(in: 4...9, using: &random))
        }
        // A stop is told once.
        let reports = stretches.joined().enumerated().map { report($0.offset, moves: $0.element) }
            .reduce(into: [CadenceReport]()) { told, report in
                if report.cadenceSPM != 0 || told.last?.cadenceSPM != 0 { told.append(report) }
            }
        var each = CadenceTransitions()
        var some = CadenceTransitions()
        var (eachTold, someTold): ([CadenceReport], [CadenceReport]) = ([], [])
        for report in reports {
            each.take(report)
            each.drain { eachTold.append($0) }
            some.take(report)
            if Int.random(in: 0..<8, using: &random) == 0 { some.drain { someTold.append($0) } }
        }
        some.drain { someTold.append($0) }
        #expect(changes(someTold) == changes(eachTold))
        #expect(someTold.map(\.t) == someTold.map(\.t).sorted())
        #expect(someTold.last == reports.last)
    }

    @Test("A commit with nothing but the same is one report, the newest")
    func steady() {
        var transitions = CadenceTransitions()
        var told: [CadenceReport] = []
        transitions.take(report(0, moves: true))
        transitions.drain { told.append($0) }
        for second in 1...30 { transitions.take(report(second, moves: true)) }
        transitions.drain { told.append($0) }
        transitions.drain { told.append($0) }
        #expect(told.map(\.t) == [0, 30])
    }

    @Test("A series has every report, however many come in one commit")
    func series() {
        var transitions = CadenceTransitions()
        transitions.isWhole = true
        for second in 0..<30 { transitions.take(report(second, moves: true)) }
        var told: [Double] = []
        transitions.drain { told.append($0.t) }
        #expect(told == (0..<30).map(Double.init))
    }

    @Test("A stop of less than three seconds within a commit is none, and a commit may end with one")
    func lost() {
        var transitions = CadenceTransitions()
        var told: [CadenceReport] = []
        for second in 0..<9 { transitions.take(report(second, moves: second != 5)) }
        transitions.drain { told.append($0) }
        #expect(told.allSatisfy { $0.cadenceSPM == 110 })
        transitions.take(report(9, moves: false))
        transitions.drain { told.append($0) }
        #expect(told.last?.cadenceSPM == 0)
    }

    @Test("Of more stops and starts than the limit the newest are told, and they alternate")
    func limit() {
        var transitions = CadenceTransitions()
        for second in 0..<1_001 { transitions.take(report(second * 4, moves: second.isMultiple(of: 2))) }
        var told: [CadenceReport] = []
        transitions.drain { told.append($0) }
        #expect(told.count == CadenceTransitions.maximumCount + 1)
        #expect(changes(told).count == told.count && told.last?.t == 4_000)
    }

    /// The reports in which it changes whether somebody moves.
    private func changes(_ reports: [CadenceReport]) -> [Double] {
        var moves = false
        return reports.filter { report in
            defer { moves = report.cadenceSPM != 0 }
            return (report.cadenceSPM != 0) != moves
        }.map(\.t)
    }

    private func report(_ second: Int, moves: Bool) -> CadenceReport {
        CadenceReport(
            t: Double(second), cadenceSPM: moves ? 110 : 0, confidence: 1, activity: moves ? .walking : .stationary)
    }
}
