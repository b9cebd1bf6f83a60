public import Foundation
public import Recording
import Replay
import Wire

/// Counts the recordings of a folder as the services would.
public struct RecordingEvaluator: Sendable {
    /// Recordings carry no date; they are counted as if they had started on 2026-01-01 at 00:00 UTC.
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000

    /// A cadence is published once a frame: frames shorter than a second leave out none.
    private static let frameSeconds = 0.5

    private let folder: URL
    /// The recordings, in the order of the index.
    public let entries: [RecordingIndex.Entry]

    /// Reads the index of a folder.
    public init(folder: URL) throws(RecordingError) {
        self.folder = folder
        entries = try RecordingIndex(folder: folder).entries
    }

    /// Counts one recording and compares, as it was recorded or as another watch would have made it.
    ///
    /// - Throws: `RecordingError`, or `WireError` where the counter refuses the device.
    public func result(of entry: RecordingIndex.Entry, sampling: SlowSampling? = nil) throws -> RecordingResult {
        var recording = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        if let sampling { recording = RecordingFile(samples: sampling.resampled(recording.samples)) }
        let framer = RecordingFramer(
            recording: recording, startMicroseconds: Self.startMicroseconds, boot: BootID(rawValue: 1),
            frameSeconds: Self.frameSeconds)
        var count = OfflineCount(device: try DeviceID("recording"), configuration: Self.configuration(of: entry))
        count.accept(framer.frames())
        let summary = count.finish()
        let truth = try Truth(entry, folder: folder)
        let seconds = count.seconds()
        let zero = recording.samples.first?.timeSeconds.rounded(.down) ?? 0
        return RecordingResult(
            file: entry.file, subject: entry.subject, key: GroupKey(entry, sampling: sampling),
            minutes: summary.durationSeconds / 60, trueSteps: entry.trueSteps, steps: Int(summary.steps),
            revolutions: Int(summary.revolutions),
            cadence: CadenceError(windows: truth.windows, reportedRPM: seconds.map(\.rpm), zeroSeconds: zero),
            isResampled: sampling != nil,
            stepConfidence: ConfidenceTally(
                steps: truth.steps, seconds: seconds.map { ($0.spm, $0.confidence) }, zeroSeconds: zero),
            rideConfidence: ConfidenceTally(
                windows: truth.windows, seconds: seconds.map { ($0.rpm, $0.confidence) }, zeroSeconds: zero),
            activities: ActivityTally(seconds.map(\.activity)))
    }

    /// Whether small watches, which sample slowly, sit where this recording was made: at a wrist.
    public static func mayBeSlow(_ entry: RecordingIndex.Entry) -> Bool {
        entry.placementKeyword == .wrist && entry.trueSteps != nil
    }

    /// What is known second by second.
    private struct Truth {
        var windows: [CadenceTruthFile.Window] = []
        var steps: [Double] = []

        init(_ entry: RecordingIndex.Entry, folder: URL) throws {
            if let file = entry.rpmFile {
                windows = try CadenceTruthFile(contentsOf: folder.appendingPathComponent(file)).windows
            }
            if let file = entry.eventsFile {
                steps = try StepEventFile(contentsOf: folder.appendingPathComponent(file)).events.map(\.timeSeconds)
                    .sorted()
            }
        }
    }

    /// On a bike's frame or crank sits a bike's sensor; everywhere else a person's.
    private static func configuration(of entry: RecordingIndex.Entry) -> DeviceConfig {
        var configuration = DeviceConfig()
        let placement = entry.placementKeyword
        configuration.kind = placement == .frame || placement == .crank ? .bike : .wearable
        configuration.placement = placement.rawValue
        return configuration
    }
}
