@testable import Lab
import Testing

@Suite("What confidence means")
struct ConfidenceTallyTests {
    @Test("Seconds of pedalling are right within 5 rpm of windows that may be relied on, and looked for 2 s earlier")
    func pedalling() {
        let windows = [
            CadenceWindow(startSeconds: 0, endSeconds: 10, rpm: 60, confidence: 1),
            CadenceWindow(startSeconds: 10.5, endSeconds: 20, rpm: 90, confidence: 1),
            CadenceWindow(startSeconds: 20.5, endSeconds: 30, rpm: 60, confidence: 0.4),
        ]
        let seconds = (0..<32).map { _ in (cadence: 63.0, confidence: 0.95) }
        let tally = ConfidenceTally(windows: windows, seconds: seconds, zeroSeconds: 0)
        #expect(tally.bins[9].seconds == 21)
        #expect(tally.bins[9].right == 11)
        #expect(tally.bins[0].seconds == 0)
    }

    @Test("Seconds of walking are right within 5 % of the steps about them, and seconds without cadence say nothing")
    func walking() {
        let steps = (0..<40).map { Double($0) * 0.5 }
        let seconds = (0..<22).map { (cadence: $0 < 12 ? 118.0 : 0, confidence: 0.81) }
        let tally = ConfidenceTally(steps: steps, seconds: seconds, zeroSeconds: 0)
        #expect(tally.bins[8].seconds == 11)
        #expect(tally.bins[8].right == 11)
        var sum = ConfidenceTally()
        sum.add(tally)
        sum.add(tally)
        #expect(sum.bins[8].seconds == 22)
        #expect(abs(sum.bins[8].confidence - 22 * 0.81) < 1e-9)
    }
}
