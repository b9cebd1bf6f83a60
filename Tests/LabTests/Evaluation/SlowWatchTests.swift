@testable import Lab
import Testing

@Suite("Another watch")
struct SlowWatchTests {
    private static let samples = (0..<1000).map {
        RecordedSample(timeSeconds: Double($0) / 100, acceleration: SIMD3(Float($0) / 100, 0, 9.81))
    }

    @Test("A slow watch has its rate, goes forward, and feels the mean about each instant")
    func means() throws {
        let slow = SlowWatch.resampled(Self.samples)
        #expect((123...125).contains(slow.count))
        #expect(zip(slow, slow.dropFirst()).allSatisfy { $0.timeSeconds < $1.timeSeconds })
        for sample in slow.dropFirst().dropLast() {
            #expect(abs(Double(try #require(sample.acceleration).x) - sample.timeSeconds) < 0.011)
            #expect(sample.angularVelocity == nil)
        }
    }

    @Test("Its instants waver, and always in the same way")
    func jitter() {
        let slow = SlowWatch.resampled(Self.samples)
        let off = slow.enumerated().map { abs($0.element.timeSeconds * 12.5 - Double($0.offset) - 0.5) }
        #expect(off.allSatisfy { $0 <= 0.1501 })
        #expect(off.contains { $0 > 0.1 })
        #expect(slow == SlowWatch.resampled(Self.samples))
        #expect(SlowWatch.resampled([]).isEmpty)
    }
}
