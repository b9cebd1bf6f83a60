import Testing
import Wire

@testable import Counter

@Suite("Stops and starts of a commit")
struct CadenceTransitionsTests {
    @Test(
        "However seconds are split into commits, every stop and start is told once, with its time, in order",
        arguments: 1...50)
    func anySplit(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var moves = false
        let reports = (0..<60).map { second in
            if Int.random(in: 0..<6, using: &random) == 0 { moves.toggle() }
            return report(second, moves: moves)
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

    @Test("Of more stops and starts than the limit the newest are told, and they alternate")
    func limit() {
        var transitions = CadenceTransitions()
        for second in 0..<1_001 { transitions.take(report(second, moves: second.isMultiple(of: 2))) }
        var told: [CadenceReport] = []
        transitions.drain { told.append($0) }
        #expect(told.count == CadenceTransitions.maximumCount + 1)
        #expect(changes(told).count == told.count && told.last?.t == 1_000)
    }

    /// The reports in which it changes whether somebody moves.
    private func changes(_ reports: [CadenceReport]) -> [Double] {
        var moves = false
        return reports.filter { report in
            defer { moves = report.spm != 0 }
            return (report.spm != 0) != moves
        }.map(\.t)
    }

    private func report(_ second: Int, moves: Bool) -> CadenceReport {
        CadenceReport(t: Double(second), spm: moves ? 110 : 0, confidence: 1, state: moves ? .walking : .stationary)
    }
}
