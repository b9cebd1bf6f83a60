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

    /// Counts one recording and compares: as it was recorded, as a slow watch would have made it where one might have,
    /// and varied.
    ///
    /// - Throws: `RecordingError`, or `WireError` where the counter refuses the device.
    package func results(of entry: RecordingIndex.Entry) throws -> [RecordingResult] {
        let samples = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file)).samples
        let (windows, steps) = (try entry.cadenceWindows(in: folder), try entry.stepSeconds(in: folder))
        var results = [try result(of: entry, samples, windows, steps)]
        // Small watches, which sample slowly, sit at a wrist.
        if entry.placementKeyword == .wrist, entry.trueSteps != nil {
            results.append(try result(of: entry, SlowWatch.resampled(samples), windows, steps, isResampled: true))
        }
        for variation in Variation.allCases {
            let varied = variation.applied(to: windows, zeroSeconds: samples.first?.timeSeconds ?? 0)
            results.append(
                try result(of: entry, variation.applied(to: samples), varied, [], variation: variation))
        }
        return results
    }

    private func result(
        of entry: RecordingIndex.Entry, _ samples: [RecordedSample], _ windows: [CadenceWindow], _ steps: [Double],
        isResampled: Bool = false, variation: Variation? = nil
    ) throws -> RecordingResult {
        var count = OfflineCount(device: try DeviceID("recording"), configuration: configuration(of: entry))
        count.accept(RecordingFile(samples: samples).frames(frameSeconds: Self.frameSeconds))
        let summary = count.finish()
        let seconds = count.seconds()
        let zero = samples.first?.timeSeconds.rounded(.down) ?? 0
        return RecordingResult(
            file: entry.file, subject: entry.subject, key: GroupKey(entry, isResampled: isResampled),
            minutes: summary.durationSeconds / 60, trueSteps: entry.trueSteps, steps: Int(summary.steps),
            revolutions: Int(summary.revolutions),
            cadence: CadenceError(windows: windows, reportedRPM: seconds.map(\.rpm), zeroSeconds: zero),
            isResampled: isResampled, variation: variation,
            stepConfidence: ConfidenceTally(
                steps: steps, seconds: seconds.map { ($0.spm, $0.confidence) }, zeroSeconds: zero),
            rideConfidence: ConfidenceTally(
                windows: windows, seconds: seconds.map { ($0.rpm, $0.confidence) }, zeroSeconds: zero),
            activities: ActivityTally(seconds.map(\.activity)), spacing: ContactSpacing(seconds: steps))
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

/// A small watch that samples slowly and not on time: each sample is the mean over its period, as a sensor's low-pass
/// gives it, about an instant that wavers.
enum SlowWatch {
    /// Samples a second.
    static let rateHz = 12.5
    /// By how much of a period an instant may be early or late.
    private static let jitter = 0.15

    /// A recording as it would have made it; the jitter is the same for the same count of samples.
    static func resampled(_ samples: [RecordedSample]) -> [RecordedSample] {
        guard let first = samples.first, let last = samples.last else { return [] }
        let period = 1 / rateHz
        var slow: [RecordedSample] = []
        var start = 0
        var chance = StableHash()
        for index in 0..<Int((last.timeSeconds - first.timeSeconds) * rateHz) {
            chance.combine(UInt8(truncatingIfNeeded: index))
            let waver = jitter * (Double(chance.value >> 40) / Double(1 << 23) - 1)
            let time = first.timeSeconds + (Double(index) + 0.5 + waver) * period
            while start < samples.count, samples[start].timeSeconds < time - period / 2 { start += 1 }
            let part = samples[start...].prefix { $0.timeSeconds < time + period / 2 }
            if let mean = Self.mean(part, at: time) { slow.append(mean) }
        }
        return slow
    }

    private static func mean(_ samples: ArraySlice<RecordedSample>, at time: Double) -> RecordedSample? {
        guard !samples.isEmpty else { return nil }
        return RecordedSample(
            timeSeconds: time, acceleration: mean(samples.compactMap(\.acceleration)),
            angularVelocity: mean(samples.compactMap(\.angularVelocity)),
            magneticField: mean(samples.compactMap(\.magneticField)))
    }

    private static func mean(_ values: [SIMD3<Float>]) -> SIMD3<Float>? {
        values.isEmpty ? nil : values.reduce(.zero, +) / Float(values.count)
    }
}
