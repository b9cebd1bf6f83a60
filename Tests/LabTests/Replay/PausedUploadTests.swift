import Counter
import Foundation
import Lab
import Seeded
import Testing
import trials
import Wire

/// A recording that arrives as a backlog, an hour late and many times as fast as it was made, with pauses.
@Suite(
    "Uploads with pauses count what the recording holds",
    .enabled(if: Recordings.folder != nil, "no recordings: set STRIDEBUS_RECORDINGS to their folder"))
struct PausedUploadTests {
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000
    private static let tickMicroseconds: Int64 = 250_000
    /// Every so many recordings of the index.
    private static let stride = 12

    /// Steps and revolutions of each minute.
    private typealias Totals = [Int64: [Int64]]

    @Test(
        "Whatever the speed and wherever it pauses, steps and revolutions are those of `count`",
        arguments: [1, 20, 200])
    func totals(speed: Int) throws {
        let folder = try #require(Recordings.folder)
        var random = SeededGenerator(seed: UInt64(speed))
        for (index, entry) in try RecordingIndex(folder: folder).entries.enumerated() where index % Self.stride == 0 {
            let recording = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
            let frames = recording.frames(boot: BootID(rawValue: 1))
            guard frames.count > 2 else { continue }
            var pauses: [Int: Int64] = [:]
            for seconds in [1, 4, 20, 70, 300] {
                pauses[Int.random(in: 0..<frames.count - 1, using: &random)] = Int64(seconds) * 1_000_000
            }
            let plain = try Self.count(frames, speed: 1, pauses: [:])
            #expect(try Self.count(frames, speed: Int64(speed), pauses: pauses) == plain, "\(entry.file) \(pauses)")
        }
    }

    /// Counts frames that arrive at a speed with pauses after some of them, in microseconds.
    private static func count(_ frames: [Frame], speed: Int64, pauses: [Int: Int64]) throws -> Totals {
        let device = try DeviceID("recording")
        var pipeline = CounterPipeline()
        var totals: Totals = [:]
        var now = startMicroseconds + 3_600_000_000
        var tickedAt = now
        func collect() {
            for increment in pipeline.takeCommit().increments {
                let sums = totals[increment.minute] ?? [0, 0]
                totals[increment.minute] = [sums[0] + increment[.steps], sums[1] + increment[.revolutions]]
            }
        }
        for (index, frame) in frames.enumerated() {
            now += (RecordingFile.lastSampleMicroseconds(frame) - start(of: frame)) / speed
            now += pauses[index] ?? 0
            while tickedAt + tickMicroseconds <= now {
                tickedAt += tickMicroseconds
                pipeline.accept(pipeline.findSilent(nowMicroseconds: tickedAt))
            }
            collect()
            pipeline.accept(MotionRecord(device: device, arrivalMicroseconds: now, content: .frame(frame)))
            collect()
        }
        pipeline.finish()
        collect()
        return totals.filter { $0.value != [0, 0] }
    }

    private static func start(of frame: Frame) -> Int64 {
        if case .utc(let microseconds) = frame.time { microseconds } else { 0 }
    }
}
