@testable import Lab
import Testing

@Suite("Numbers as bars")
struct BarsTests {
    @Test("The largest value is the highest bar, the smallest has a bar, 0 has none and the unknown is a space")
    func sparkline() {
        #expect(Sparkline.text([0, 0.1, 1, 2, 4, 8]) == "·▁▂▃▅█")
        #expect(Sparkline.text([0, -1, .nan]) == "···")
        #expect(Sparkline.text([50, nil, 100, 400], top: 200) == "▃ ▅█")
        #expect(Sparkline.text([]) == "")
    }

    @Test("A bar is as long as its share of the largest, and never nothing where there is something")
    func horizontal() {
        #expect(HorizontalBar.text(8, ofLargest: 8).count == 24)
        #expect(HorizontalBar.text(4, ofLargest: 8).count == 12)
        #expect(HorizontalBar.text(0.001, ofLargest: 8) == "▏")
        #expect(HorizontalBar.text(1, ofLargest: 192) == "▏")
        #expect([0, -1, .nan].allSatisfy { HorizontalBar.text($0, ofLargest: 8) == "" })
        #expect(HorizontalBar.text(3, ofLargest: 0) == "")
    }

    @Test("A trace moves with time, is empty where nothing came, and stays at 0 after a stop")
    func trace() {
        let start = ContinuousClock.now
        var trace = CadenceTrace(stretches: 4, each: .seconds(8))
        #expect(trace.values(at: start) == [nil, nil, nil, nil])
        trace.take(80, at: start)
        trace.take(84, at: start + .seconds(7))
        #expect(trace.values(at: start + .seconds(7)) == [nil, nil, nil, 84])
        trace.take(90, at: start + .seconds(17))
        #expect(trace.values(at: start + .seconds(17)) == [nil, 84, nil, 90])
        trace.take(0, at: start + .seconds(18))
        #expect(trace.values(at: start + .seconds(33)) == [nil, 0, 0, 0])
        #expect(trace.values(at: start + .seconds(9000)) == [0, 0, 0, 0])
    }
}
