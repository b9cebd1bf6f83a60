@testable import Lab
import Testing
import Wire

@Suite("Recordings of somebody else")
struct VariationTests {
    private static let samples = (0..<1000).map {
        RecordedSample(
            timeSeconds: 5 + Double($0) / 100, acceleration: SIMD3($0 % 2 == 0 ? 1 : -1, 0, 9.81),
            angularVelocity: SIMD3(0, 0.5, 0))
    }

    @Test("Who is a tenth quicker needs less time for the same, and turns the crank as much faster")
    func quicker() throws {
        let varied = Variation.quicker.applied(to: Self.samples)
        #expect(varied.map(\.acceleration) == Self.samples.map(\.acceleration))
        #expect(varied.first?.timeSeconds == 5)
        #expect(abs(try #require(varied.last).timeSeconds - 5 - 9.99 / 1.1) < 1e-9)
        let windows = [CadenceWindow(startSeconds: 5, endSeconds: 16, rpm: 60, confidence: 1)]
        let window = try #require(Variation.quicker.applied(to: windows, zeroSeconds: 5).first)
        #expect(window.startSeconds == 5 && abs(window.endSeconds - 15) < 1e-9 && abs(window.rpm - 66) < 1e-9)
    }

    @Test("Who moves harder moves about the same gravity")
    func harder() throws {
        let varied = Variation.harder.applied(to: Self.samples)
        let last = try #require(varied[998].acceleration)
        #expect(abs(last.x - 1.25) < 0.02 && abs(last.z - 9.81) < 1e-4)
        #expect(varied[998].angularVelocity == SIMD3(0, 0.625, 0))
    }

    @Test("Without gravity only the movement is left")
    func withoutGravity() throws {
        let varied = Variation.withoutGravity.applied(to: Self.samples)
        let last = try #require(varied[998].acceleration)
        #expect(abs(last.x - 1) < 0.02 && abs(last.z) < 1e-4)
        #expect(varied[998].angularVelocity == Self.samples[998].angularVelocity)
    }

    @Test("A noisier sensor has noise of the told power on every axis, always the same")
    func noisier() throws {
        let varied = Variation.noisier.applied(to: Self.samples)
        let noise = zip(varied, Self.samples).map { ($0.acceleration ?? .zero) - ($1.acceleration ?? .zero) }
        for axis in 0..<3 {
            let mean = noise.reduce(0) { $0 + $1[axis] } / 1000
            let square = noise.reduce(0) { $0 + $1[axis] * $1[axis] } / 1000
            #expect(abs(mean) < 0.02 && abs(square.squareRoot() - 0.1) < 0.01)
        }
        #expect(varied == Variation.noisier.applied(to: Self.samples))
    }

    @Test("A table sets the varied figures beside those as recorded, and counts none of them twice")
    func table() throws {
        let key = GroupKey(folder: "set", placement: .pocket, activity: .walk)
        func result(_ steps: Int, _ variation: Variation?) -> RecordingResult {
            RecordingResult(file: "set/a.csv", key: key, minutes: 1, trueSteps: 100, steps: steps, variation: variation)
        }
        let report = EvaluationReport(
            date: "2026-01-02", commit: "", results: [result(99, nil), result(96, .quicker), result(110, .noisier)])
        #expect(report.groups.first?.count == 1)
        let row = try #require(report.variationRows.first)
        #expect(report.variationRows.count == 1 && row.values == [1, 4, nil, nil, nil, 10, nil])
        #expect(report.markdown.contains("| set | pocket | walk | tuning | mean % | 1.0 | 4.0 |  |  |  | 10.0 |  |"))
    }
}
