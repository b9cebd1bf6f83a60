import Foundation
import Lab
import StrideClient
import Seeded
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)))
struct WholePathTests {
    @Test(
        "A gym's totals, asked back from history over the bus, are within 2 % of the truth in every form of frame",
        arguments: [MotionPublisher.Form.json, .compactJSON, .protobuf])
    func gym(form: MotionPublisher.Form) async throws {
        let demonstration = try await RunningBus.with { bus in
            let pace = Pace(speed: 20, seconds: 240)
            let gym = SimulatedGym(
                bikes: 2, wearables: 2, seed: 11, demoSeconds: 240,
                startMicroseconds: pace.startMicroseconds)
            return bus.demonstration(of: GymSource(gym: gym), pace: pace, seconds: 240, form: form)
        }
        let finding = try #require(demonstration.result)
        #expect(finding.isAsExpected, "\(finding.lines.joined(separator: "\n"))")
    }

    @Test("What count says and what the services count for the same frames is the same number")
    func countIsTheSame() async throws {
        let items = try Self.simulatedItems()
        let finding = try await Self.finding(of: items, speed: 40)
        #expect(
            finding.rows.contains { $0.answer.steps > 100 } && finding.rows.contains { $0.answer.revolutions > 100 })
        #expect(finding.isAsExpected, "\(finding.lines.joined(separator: "\n"))")
    }

    @Test(
        "Recordings of people are counted over the bus as they are counted without one",
        .enabled(if: Recordings.folder != nil, "no recordings: set STRIDEBUS_RECORDINGS to their folder"))
    func recordings() async throws {
        let all = try RecordingSource.Item.all(inFolder: #require(Recordings.folder).path)
        let items = stride(from: 0, to: all.count, by: 20).map { all[$0] }
        let finding = try await Self.finding(of: items, speed: 60)
        #expect(finding.rows.count == items.count)
        #expect(finding.isAsExpected, "\(finding.lines.joined(separator: "\n"))")
    }

    private static func finding(of items: [RecordingSource.Item], speed: Double) async throws -> DemonstrationFinding {
        let demonstration = try await RunningBus.with { bus in
            let seconds = 2 + (items.map(\.recording.durationSeconds).max() ?? 0)
            let pace = Pace(speed: speed, seconds: seconds)
            let source = RecordingSource(items: items, startMicroseconds: pace.startMicroseconds)
            return bus.demonstration(of: source, pace: pace, seconds: seconds)
        }
        return try #require(demonstration.result)
    }

    /// A bike and two walkers as recorded files, written out and read in as text.
    private static func simulatedItems() throws -> [RecordingSource.Item] {
        var gym = SimulatedGym(
            bikes: 1, wearables: 2, seed: 5, demoSeconds: 150, startMicroseconds: 1_767_225_600_000_000)
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
                configuration: gym.devices[index].configuration, trueSteps: nil)
        }
    }
}
