import Foundation
import Lab
import StrideClient
import Seeded
import Testing
import trials
import Wire

@Suite(.timeLimit(.minutes(5)))
struct WholePathTests {
    @Test(
        "A gym's totals, asked back from history over the bus, are within 2 % of the truth in every form of frame",
        arguments: [MotionPublisher.Form.json, .compactJSON, .protobuf])
    func gym(form: MotionPublisher.Form) async throws {
        let rows = try await RunningBus.with { bus in
            let pace = Pace(speed: 20, seconds: 240)
            let gym = SimulatedGym(
                bikes: 2, wearables: 2, seed: 11, stopSeconds: 240,
                startMicroseconds: pace.startMicroseconds)
            return try await bus.play(
                GymSource(gym: gym), pace: pace, seconds: 240, form: form, tolerance: 0.02
            ) { source, index in
                (source.gym.devices[index].truth.steps, source.gym.devices[index].truth.revolutions)
            }
        }
        #expect(rows.count == 4)
        for row in rows { #expect(row.isAsExpected, "\(row)") }
    }

    @Test("What count says and what the services count for the same frames is the same number")
    func countIsTheSame() async throws {
        let items = try Self.simulatedItems()
        let rows = try await Self.rows(of: items, speed: 40)
        #expect(rows.contains { $0.answer.steps > 100 } && rows.contains { $0.answer.revolutions > 100 })
        for row in rows { #expect(row.isAsExpected, "\(row)") }
    }

    @Test(
        "Recordings of people are counted over the bus as they are counted without one",
        .enabled(if: Recordings.folder != nil, "no recordings: set STRIDEBUS_RECORDINGS to their folder"))
    func recordings() async throws {
        let folder = try #require(Recordings.folder)
        let entries = try RecordingIndex(folder: folder).entries
        let items = try stride(from: 0, to: entries.count, by: 20).map { place in
            var configuration = DeviceConfig()
            (configuration.kind, configuration.placement) = (.wearable, entries[place].placementKeyword)
            let file = folder.appendingPathComponent(entries[place].file)
            return RecordingSource.Item(
                name: entries[place].file, recording: try RecordingFile(contentsOf: file),
                configuration: configuration)
        }
        let rows = try await Self.rows(of: items, speed: 60)
        #expect(rows.count == items.count)
        for row in rows { #expect(row.isAsExpected, "\(row)") }
    }

    /// The totals of recordings that are played, beside what is counted in their files, whose frames begin at another time.
    private static func rows(of items: [RecordingSource.Item], speed: Double) async throws -> [RunningBus.Row] {
        try await RunningBus.with { bus in
            let seconds = 2 + (items.map(\.recording.durationSeconds).max() ?? 0)
            let pace = Pace(speed: speed, seconds: seconds)
            let source = RecordingSource(items: items, startMicroseconds: pace.startMicroseconds)
            return try await bus.play(source, pace: pace, seconds: seconds) { source, index in
                var count = OfflineCount(
                    device: source.devices[index].id, configuration: source.devices[index].configuration)
                count.accept(items[index].recording.frames())
                let summary = count.finish()
                return (Int(summary.steps), Int(summary.revolutions))
            }
        }
    }

    /// A bike and two walkers as recorded files, written out and read in as text.
    private static func simulatedItems() throws -> [RecordingSource.Item] {
        var gym = SimulatedGym(
            bikes: 1, wearables: 2, seed: 5, stopSeconds: 150, startMicroseconds: 1_767_225_600_000_000)
        return try gym.devices.indices.map { index in
            var csv = "t_s,ax,ay,az,gx,gy,gz,mx,my,mz\n"
            var frame = Frame()
            for second in 0..<150 {
                gym.makeFrame(of: index, into: &frame)
                for sample in 0..<frame.sampleCount {
                    let row = frame.values[sample * 6..<sample * 6 + 6].map { "\($0)" }.joined(separator: ",")
                    csv += "\(Double(second) + Double(sample) * 0.02),\(row),,,\n"
                }
            }
            return RecordingSource.Item(
                name: "simulated-\(index).csv", recording: try RecordingFile(csv: Array(csv.utf8)),
                configuration: gym.devices[index].configuration)
        }
    }
}
