package import Foundation
import Wire

/// Counts the recordings of a folder as the services would.
package struct RecordingEvaluator: Sendable {
    /// A cadence is published once a frame: frames shorter than a second leave out none.
    private static let frameSeconds = 0.5

    private let folder: URL
    private let isConfigured: Bool
    /// The recordings, in the order of the index.
    package let entries: [RecordingIndex.Entry]

    /// Reads the index of a folder. The counter knows what each device is and where it sits, or nothing.
    package init(folder: URL, isConfigured: Bool = true) throws(RecordingError) {
        self.folder = folder
        self.isConfigured = isConfigured
        entries = try RecordingIndex(folder: folder).entries
    }

    /// Counts one recording and compares.
    ///
    /// - Throws: `RecordingError`, or `WireError` where the counter refuses the device.
    package func result(of entry: RecordingIndex.Entry) throws -> RecordingResult {
        let recording = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        let (windows, steps) = (try entry.cadenceWindows(in: folder), try entry.stepSeconds(in: folder))
        var count = OfflineCount(device: try DeviceID("recording"), configuration: configuration(of: entry))
        count.accept(recording.frames(frameSeconds: Self.frameSeconds))
        let summary = count.finish()
        let seconds = count.seconds()
        let zero = recording.samples.first?.timeSeconds.rounded(.down) ?? 0
        return RecordingResult(
            file: entry.file, subject: entry.subject, key: GroupKey(entry),
            minutes: summary.durationSeconds / 60, trueSteps: entry.trueSteps, steps: Int(summary.steps),
            revolutions: Int(summary.revolutions),
            cadence: CadenceError(windows: windows, reportedRPM: seconds.map(\.rpm), zeroSeconds: zero),
            stepConfidence: ConfidenceTally(
                steps: steps, seconds: seconds.map { ($0.spm, $0.confidence) }, zeroSeconds: zero),
            rideConfidence: ConfidenceTally(
                windows: windows, seconds: seconds.map { ($0.rpm, $0.confidence) }, zeroSeconds: zero),
            activities: ActivityTally(seconds.map(\.activity)))
    }

    /// A sensor on a frame or crank is a bike's; elsewhere it is a person's.
    private func configuration(of entry: RecordingIndex.Entry) -> DeviceConfig {
        var configuration = DeviceConfig()
        guard isConfigured else { return configuration }
        let placement = entry.placementKeyword
        configuration.kind = placement == .frame || placement == .crank ? .bike : .wearable
        configuration.placement = placement
        return configuration
    }
}
