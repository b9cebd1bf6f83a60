import Lab
import Testing

@Suite("What confidence means")
struct ConfidenceTallyTests {
    @Test("Seconds of pedalling are right within 5 rpm of windows that may be relied on, and looked for 2 s earlier")
    func pedalling() throws {
        let truth = try CadenceTruthFile(
            csv: Array("t_start_s,t_end_s,rpm,confidence\n0,10,60,1\n10.5,20,90,1\n20.5,30,60,0.4".utf8))
        let seconds = (0..<32).map { _ in (cadence: 63.0, confidence: 0.95) }
        let tally = ConfidenceTally(windows: truth.windows, seconds: seconds, zeroSeconds: 0)
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
