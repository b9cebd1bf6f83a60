import Foundation
@testable import Lab
import Testing
import Wire

@Suite("The series of a count")
struct CountSeriesTests {
    @Test("No second in mid-movement is without a cadence, however long frames are", arguments: [0.3, 1, 1.9, 5])
    func noHoles(frameSeconds: Double) throws {
        let samples = (0..<3_000).map { index in
            let seconds = Double(index) / 50
            return RecordedSample(timeSeconds: seconds, acceleration: acceleration(at: seconds))
        }
        var count = OfflineCount(device: try DeviceID("recording"), configuration: DeviceConfig())
        count.accept(RecordingFile(samples: samples).frames(frameSeconds: frameSeconds))
        _ = count.finish()
        let seconds = count.seconds()
        let first = try #require(seconds.firstIndex { $0.spm > 0 })
        let last = try #require(seconds.lastIndex { $0.spm > 0 })
        #expect(last - first > 45)
        #expect(seconds[first...last].allSatisfy { $0.spm > 0 && $0.confidence > 0 })
    }

    /// A trunk that sways from foot to foot, in m/s².
    private func acceleration(at seconds: Double) -> SIMD3<Float> {
        let phase = 2 * Double.pi * 1.8 * seconds
        let up: Double = 9.81 + 3 * sin(phase) + 1.2 * sin(2 * phase + 0.5)
        return SIMD3(Float(1.5 * sin(phase / 2)), Float(0.6 * cos(phase)), Float(up))
    }
}
