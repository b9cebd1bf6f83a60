public import Foundation
public import Recording
import Replay
import Wire

/// Counts the recordings of a folder as the services would.
public struct RecordingEvaluator: Sendable {
    /// Recordings carry no date; they are counted as if they had started on 2026-01-01 at 00:00 UTC.
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000

    private let folder: URL
    /// The recordings, in the order of the index.
    public let entries: [RecordingIndex.Entry]

    /// Reads the index of a folder.
    public init(folder: URL) throws(RecordingError) {
        self.folder = folder
        entries = try RecordingIndex(folder: folder).entries
    }

    /// Counts one recording and compares.
    ///
    /// - Throws: `RecordingError`, or `WireError` where the counter refuses the device.
    public func result(of entry: RecordingIndex.Entry) throws -> RecordingResult {
        let recording = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        let framer = RecordingFramer(
            recording: recording, startMicroseconds: Self.startMicroseconds, boot: BootID(rawValue: 1))
        var count = OfflineCount(device: try DeviceID("recording"), configuration: Self.configuration(of: entry))
        count.accept(framer.frames())
        let summary = count.finish()
        return RecordingResult(
            file: entry.file, subject: entry.subject, key: GroupKey(entry), minutes: summary.durationSeconds / 60,
            trueSteps: entry.trueSteps, steps: Int(summary.steps), revolutions: Int(summary.revolutions),
            cadence: try cadence(of: entry, recording, count.seconds().map(\.rpm)))
    }

    private func cadence(
        of entry: RecordingIndex.Entry, _ recording: RecordingFile, _ reportedRPM: [Double]
    ) throws -> CadenceError {
        guard let file = entry.rpmFile, let first = recording.samples.first else { return CadenceError() }
        let truth = try CadenceTruthFile(contentsOf: folder.appendingPathComponent(file))
        return CadenceError(
            windows: truth.windows, reportedRPM: reportedRPM, zeroSeconds: first.timeSeconds.rounded(.down))
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
