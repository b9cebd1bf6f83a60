@testable import Motion
import Testing

@Suite("Curves over lags and periods")
struct LagCurveTests {
    /// A curve that is the same at each lag.
    private static func curve(_ value: Float) -> LagCurve {
        var curve = LagCurve()
        curve.withMutableValues { $0.update(repeating: value) }
        return curve
    }

    @Test("A curve that approaches nothing becomes nothing, and no number too small to be normal")
    func approachesNothing() {
        var curve = Self.curve(0.8)
        for _ in 0..<500 {
            curve.approach(LagCurve(), gain: 0.06)
            #expect(curve[0] == 0 || curve[0].isNormal)
        }
        #expect(curve[0] == 0 && curve[LagProducts.lagCount - 1] == 0)
        curve.approach(Self.curve(1), gain: 0.5)
        #expect(curve[0] == 0.5)
    }

    @Test("The highest of all peaks is the first strong one where the others are lower, wherever it is")
    func firstStrongPeak() throws {
        for lag in 8...60 {
            var curve = Self.curve(0.1)
            curve.withMutableValues { values in
                values[lag] = 1
                values[70] = 0.5
            }
            let peak = try #require(curve.firstStrongPeak(in: 7...62, share: 0.8))
            #expect(peak.lag == Float(lag))
        }
    }

    @Test("Running maxima hold the greatest value from either end")
    func runningMaxima() {
        let values: [Float] = [3, -1, 4, 1, -5, 9, 2, 6, 5, 3, 5, -8]
        let margin = [Float](repeating: RunningMaximum.least, count: RunningMaximum.margin)
        var memory = margin + values + margin
        memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress.map({ $0 + RunningMaximum.margin }) else { return }
            var (risen, fallen) = (RunningMaximum(), RunningMaximum())
            for first in stride(from: 0, to: values.count, by: 4) {
                let last = values.count - 4 - first
                let (rises, falls) = (risen.rise(to: start + first), fallen.fall(to: start + last))
                for lane in 0..<4 {
                    #expect(rises[lane] == values[...(first + lane)].max())
                    #expect(falls[lane] == values[(last + lane)...].max())
                }
            }
        }
    }
}
