import Counter
package import Wire

/// Counts a device's frames with the counter's own pipeline, without a bus.
///
/// The same frames give the same numbers here and over the bus, because the same code counts them.
package struct OfflineCount: Sendable {
    private let device: DeviceID
    private var pipeline: CounterPipeline
    private var sums: MinuteIncrement
    private var firstMicroseconds: Int64?
    private var lastMicroseconds: Int64 = 0
    private var cadences: [CadenceReport] = []
    private var activities: [ActivityReport] = []

    /// A count that has seen nothing yet.
    package init(device: DeviceID, configuration: DeviceConfig) {
        self.device = device
        pipeline = CounterPipeline(reportsEverySecond: true)
        sums = MinuteIncrement(device: device, minute: 0)
        pipeline.configure(device: device, configuration)
    }

    /// Counts frames in their order.
    package mutating func accept(_ frames: some Sequence<Frame>) {
        for frame in frames {
            let arrival = RecordingFile.lastSampleMicroseconds(frame)
            if case .utc(let start) = frame.time { firstMicroseconds = firstMicroseconds ?? start }
            lastMicroseconds = max(lastMicroseconds, arrival)
            pipeline.accept(MotionRecord(device: device, arrivalMicroseconds: arrival, content: .frame(frame)))
            collect()
        }
    }

    /// Counts what the pipeline still holds back, and sums up. Call it once, at the end.
    package mutating func finish() -> CountSummary {
        pipeline.finish()
        collect()
        var summary = CountSummary()
        summary.durationSeconds = Double(sums[.covered]) / 1e6
        summary.steps = sums[.steps]
        summary.revolutions = sums[.revolutions]
        summary.floors = sums.counts.floors
        if sums[.revolutions] > 0, sums[.cadenceTime] > 0 {
            summary.meanRPM = Double(sums[.cadenceIntegral]) / Double(sums[.cadenceTime])
        }
        summary.activitySeconds = Amount.activities.map { Double(sums[$0]) / 1000 }
        return summary
    }

    /// One line for each second from the first sample to the last, after `finish`.
    package func seconds() -> [CountSecond] {
        guard let firstMicroseconds else { return [] }
        let first = firstMicroseconds / 1_000_000
        let count = min(max(lastMicroseconds / 1_000_000 - first, 0) + 1, Self.maximumSeconds)
        var seconds = (0..<count).map { CountSecond(timeSeconds: Double($0)) }
        for report in activities {
            let from = max(0, Int64(report.since.rounded()) - first)
            guard from < count else { continue }
            for index in Int(from)..<Int(count) { seconds[index].activity = report.activity }
        }
        for report in cadences {
            let index = Int64(report.t.rounded()) - first
            guard (0..<count).contains(index) else { continue }
            seconds[Int(index)].rpm = report.cadenceRPM ?? 0
            seconds[Int(index)].spm = report.cadenceSPM ?? 0
            seconds[Int(index)].confidence = report.confidence
            seconds[Int(index)].activity = report.activity
        }
        return seconds
    }

    /// The most seconds that are reported: a week.
    package static let maximumSeconds: Int64 = 604_800

    private mutating func collect() {
        for increment in pipeline.takeCommit().increments { sums.add(increment) }
        for output in pipeline.takeLive() {
            switch output.payload {
            case .cadence(let report): cadences.append(report)
            case .activity(let report): activities.append(report)
            default: break
            }
        }
    }
}

/// The counts of a recording.
package struct CountSummary: Sendable {
    /// Time for which samples exist, in seconds.
    package var durationSeconds = 0.0
    package var steps: Int64 = 0
    /// Crank revolutions.
    package var revolutions: Int64 = 0
    /// Floors gone on foot; `nil` where there is no pressure in the recording.
    package var floors: FloorCounts?
    /// The time-weighted mean of the cadence while pedalling, in rpm; 0 without pedalling.
    package var meanRPM = 0.0
    /// Seconds in each activity, by `ActivityKind.rawValue`.
    package var activitySeconds: [Double] = []

    /// The summary as one JSON line.
    package func encodedJSON(file: String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("file", file)
            writer.field("duration_s", durationSeconds, decimals: 3)
            writer.field("steps", steps)
            writer.field("revolutions", revolutions)
            writer.field("cadence_avg_rpm", meanRPM, decimals: 2)
            writer.field("floors_ascended", floors?.ascended)
            writer.field("floors_descended", floors?.descended)
            writer.field("activity_s") { writer in
                for (kind, seconds) in zip(ActivityKind.allCases, activitySeconds) where seconds > 0 {
                    writer.field(kind.name, seconds, decimals: 1)
                }
            }
        }
    }
}

/// The state in one second of a recording.
package struct CountSecond: Sendable {
    /// Seconds since the recording's first second.
    package var timeSeconds: Double
    /// Revolutions a minute.
    package var rpm = 0.0
    /// Steps a minute.
    package var spm = 0.0
    /// The activity of the wearer.
    package var activity = ActivityKind.unknown
    /// The confidence in the cadence, 0 to 1.
    package var confidence = 0.0

    /// The second as one JSON line.
    package func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("t_s", timeSeconds, decimals: 0)
            writer.field("cadence_rpm", rpm, decimals: 1)
            writer.field("cadence_spm", spm, decimals: 1)
            writer.field("activity", activity.name)
            writer.field("confidence", confidence, decimals: 2)
        }
    }
}
