import Foundation
@testable import Lab
import Seeded
import Testing
import Wire

@Suite("Recordings that are replayed")
struct ReplayedCountTests {
    @Test(
        "A replay is counted as its file is, to the step, whenever it begins",
        arguments: [0, 13_700, 30_000, 213_700, 1_000_000, 1_987_654] as [Int64])
    func whenever(microseconds: Int64) throws {
        let items = [
            item("ride", .bike, .crank, ride(seconds: 240)), item("walk", .wearable, .hip, walk(seconds: 400)),
        ]
        let now = RecordingFile.startMicroseconds + 86_400_000_000 + microseconds
        let pace = Pace(speed: 4, seconds: 400, nowMicroseconds: now)
        var source = RecordingSource(items: items, startMicroseconds: pace.startMicroseconds)
        let played = source.takeDue(untilMicroseconds: .max)
        for (index, item) in items.enumerated() {
            func count(_ frames: [Frame]) throws -> CountSummary {
                var count = OfflineCount(device: try DeviceID("file"), configuration: item.configuration)
                count.accept(frames)
                return count.finish()
            }
            let summary = try count(item.recording.frames())
            let replayed = try count(played.filter { $0.device == index }.map(\.frame))
            #expect(replayed.steps == summary.steps)
            #expect(replayed.revolutions == summary.revolutions)
            #expect(summary.steps + summary.revolutions > 200)
        }
    }

    private func item(
        _ name: String, _ kind: DeviceKind, _ placement: SensorPlacement, _ samples: [RecordedSample]
    ) -> RecordingSource.Item {
        var configuration = DeviceConfig()
        (configuration.kind, configuration.placement) = (kind, placement)
        return RecordingSource.Item(
            name: name, recording: RecordingFile(samples: samples), configuration: configuration)
    }

    /// A crank at a cadence that drifts, with a pause of 12 s in every 40.
    private func ride(seconds: Int) -> [RecordedSample] {
        var random = SeededGenerator(seed: 1)
        var (angle, rpm) = (0.0, 0.0)
        return (0..<seconds * 50).map { index in
            let time = Double(index) / 50
            let aim = time.truncatingRemainder(dividingBy: 40) < 28 ? 80 + 8 * sin(time / 17) : 0
            rpm += (aim - rpm) * 0.02
            let speed = rpm * 2 * Double.pi / 60
            angle += speed / 50
            return RecordedSample(
                timeSeconds: time,
                acceleration: SIMD3(
                    noisy(9.81 * sin(angle), 0.3, &random), noisy(9.81 * cos(angle), 0.3, &random),
                    noisy(0, 0.3, &random)),
                angularVelocity: SIMD3(0, 0, noisy(speed, 0.03, &random)))
        }
    }

    /// A hip that walks for 16 s of every 24.
    private func walk(seconds: Int) -> [RecordedSample] {
        var random = SeededGenerator(seed: 5)
        return (0..<seconds * 50).map { index in
            let time = Double(index) / 50
            let swing = time.truncatingRemainder(dividingBy: 24) > 8 ? 2.3 : 0
            let phase = 2 * Double.pi * 1.7 * time
            return RecordedSample(
                timeSeconds: time,
                acceleration: SIMD3(
                    noisy(swing * 0.4 * sin(phase / 2), 0.09, &random),
                    noisy(swing * 0.5 * cos(phase), 0.09, &random),
                    noisy(9.81 + swing * (sin(phase) + 0.3 * sin(2 * phase + 1)), 0.09, &random)),
                angularVelocity: SIMD3(Float(swing * 0.2 * sin(phase / 2)), 0, 0))
        }
    }

    private func noisy(_ value: Double, _ noise: Double, _ random: inout SeededGenerator) -> Float {
        Float(value + Double.random(in: -noise...noise, using: &random))
    }
}
