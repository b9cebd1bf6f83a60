package import Foundation
import Wire

/// Counts the recordings of a folder as the services would.
package struct RecordingEvaluator: Sendable {
    /// Recordings carry no date; they are counted as if they had started on 2026-01-01 at 00:00 UTC.
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000

    /// A cadence is published once a frame: frames shorter than a second leave out none.
    private static let frameSeconds = 0.5

    private let folder: URL
    private let isConfigured: Bool
    /// The recordings, in the order of the index.
    package let entries: [RecordingIndex.Entry]

    /// Reads the index of a folder. The counter is told what each device is and where it sits, or nothing.
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
        let truth = try Truth(entry, folder: folder)
        var results = [try result(of: entry, samples, truth)]
        if Self.mayBeSlow(entry) {
            let sampling = SlowSampling.watch
            results.append(try result(of: entry, sampling.resampled(samples), truth, sampling: sampling))
        }
        for variation in Variation.allCases {
            let varied = truth.varied(variation, zeroSeconds: samples.first?.timeSeconds ?? 0)
            results.append(try result(of: entry, variation.applied(to: samples), varied, variation: variation))
        }
        return results
    }

    private func result(
        of entry: RecordingIndex.Entry, _ samples: [RecordedSample], _ truth: Truth, sampling: SlowSampling? = nil,
        variation: Variation? = nil
    ) throws -> RecordingResult {
        let framer = RecordingFramer(
            recording: RecordingFile(samples: samples), startMicroseconds: Self.startMicroseconds,
            boot: BootID(rawValue: 1), frameSeconds: Self.frameSeconds)
        var count = OfflineCount(device: try DeviceID("recording"), configuration: configuration(of: entry))
        count.accept(framer.frames())
        let summary = count.finish()
        let seconds = count.seconds()
        let zero = samples.first?.timeSeconds.rounded(.down) ?? 0
        return RecordingResult(
            file: entry.file, subject: entry.subject, key: GroupKey(entry, sampling: sampling),
            minutes: summary.durationSeconds / 60, trueSteps: entry.trueSteps, steps: Int(summary.steps),
            revolutions: Int(summary.revolutions),
            cadence: CadenceError(windows: truth.windows, reportedRPM: seconds.map(\.rpm), zeroSeconds: zero),
            isResampled: sampling != nil, variation: variation,
            stepConfidence: ConfidenceTally(
                steps: truth.steps, seconds: seconds.map { ($0.spm, $0.confidence) }, zeroSeconds: zero),
            rideConfidence: ConfidenceTally(
                windows: truth.windows, seconds: seconds.map { ($0.rpm, $0.confidence) }, zeroSeconds: zero),
            activities: ActivityTally(seconds.map(\.activity)), spacing: ContactSpacing(seconds: truth.steps))
    }

    /// True if small watches, which sample slowly, sit where this recording was made: at a wrist.
    private static func mayBeSlow(_ entry: RecordingIndex.Entry) -> Bool {
        entry.placementKeyword == .wrist && entry.trueSteps != nil
    }

    /// The truth, second by second.
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

        /// The truth of the varied recording; its steps are not followed.
        func varied(_ variation: Variation, zeroSeconds: Double) -> Truth {
            var truth = self
            truth.windows = variation.applied(to: windows, zeroSeconds: zeroSeconds)
            truth.steps = []
            return truth
        }
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

/// A recording as a watch would have made it that samples slowly and not on time: each sample is the mean over its
/// period, as a sensor's low-pass gives it, about an instant that wavers.
package struct SlowSampling: Sendable, Hashable {
    /// Samples a second.
    package let rateHz: Double
    /// By how much of a period an instant may be early or late.
    package let jitter: Double

    /// The rate of small watches, and a jitter of 15 % of a period either way.
    package static let watch = SlowSampling(rateHz: 12.5, jitter: 0.15)

    /// Sampling from its parts; at least 1 Hz, and jitter of at most half a period, so that time goes forward.
    package init(rateHz: Double, jitter: Double) {
        self.rateHz = max(rateHz, 1)
        self.jitter = min(max(jitter, 0), 0.49)
    }

    /// The samples that are left; the jitter is the same for the same count of samples.
    package func resampled(_ samples: [RecordedSample]) -> [RecordedSample] {
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
