import ArgumentParser
import Counter
import Foundation
import Lab
import Motion
import Wire

/// Counts recordings as every kind of device, and writes a line for each: all events and states as one hash.
///
/// Two programs that write the same lines count the same, to the bit.
struct DigestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Write a hash of all events and states of recordings, counted as each kind of device.")

    @Argument(help: "CSV files.", completion: .file(extensions: ["csv"]))
    var files: [String] = []

    @Option(help: "Simulated riders and walkers beside the files.")
    var simulated = 0

    /// Samples between two stored states: no whole number of evaluations at any usual rate.
    private static let samplesAState = 3_001
    private static let samplesAFrame = 23

    private static let configurations: [(name: String, MotionConfiguration)] = [
        ("unknown", .init()),
        ("wearable", .init(kind: .wearable)),
        ("wrist", .init(kind: .wearable, placement: .wrist)),
        ("pocket", .init(kind: .wearable, placement: .pocket)),
        ("leg", .init(kind: .wearable, placement: .leg)),
        ("frame", .init(kind: .bike, placement: .frame)),
        ("crank", .init(kind: .bike, placement: .crank)),
    ]

    func run() throws {
        for file in files {
            let recording = try RecordingFile(contentsOf: URL(fileURLWithPath: file))
            let samples = recording.samples.map(Self.sample)
            digest(samples, name: file)
            digest(Self.disturbed(samples), name: file + " disturbed")
        }
        for number in 0..<simulated {
            let signal = try SimulatedSignal(isBike: number.isMultiple(of: 2), seed: 77 + UInt64(number), seconds: 240)
            var samples: [MotionSample] = []
            for frame in signal.frames { append(frame, to: &samples) }
            digest(samples, name: "simulated \(number)")
        }
    }

    private func append(_ frame: Frame, to samples: inout [MotionSample]) {
        guard case .utc(let start) = frame.time, case .uniform(let period) = frame.timing else { return }
        let stride = frame.sensors.valuesPerSample
        for index in 0..<frame.sampleCount {
            var sample = MotionSample(
                timeMicroseconds: start + Int64(index) * Int64(period) / 1000,
                sensors: Motion.SensorSet(frame.sensors))
            var place = index * stride
            func vector() -> SIMD3<Float> {
                defer { place += 3 }
                return SIMD3(frame.values[place], frame.values[place + 1], frame.values[place + 2])
            }
            if sample.sensors.contains(.acceleration) { sample.acceleration = vector() }
            if sample.sensors.contains(.angularVelocity) { sample.angularVelocity = vector() }
            if sample.sensors.contains(.magneticField) { sample.magneticField = vector() }
            samples.append(sample)
        }
    }

    private func digest(_ samples: [MotionSample], name: String) {
        for (kind, configuration) in Self.configurations {
            var pipeline = MotionPipeline(configuration: configuration)
            var events = MotionEvents()
            var hash = StableHash()
            var (steps, revolutions, state): (Int, Int, [UInt8]) = (0, 0, [])
            var fed = 0
            func note() {
                for event in events {
                    switch event {
                    case .steps(let count, let time):
                        steps += count
                        hash.combine(bytes(of: (1, Int64(count), time)))
                    case .revolutions(let count, let time):
                        revolutions += count
                        hash.combine(bytes(of: (2, Int64(count), time)))
                    case .second(let report):
                        hash.combine(bytes(of: (3, report.timeMicroseconds, Int64(report.activeMilliseconds))))
                        hash.combine(
                            bytes(
                                of: (
                                    report.cadenceRPM.bitPattern, report.cadenceSPM.bitPattern,
                                    report.confidence.bitPattern,
                                    UInt32(report.activity.rawValue) << 8 | UInt32(report.activityConfidence.rawValue)
                                )))
                    }
                }
                events.removeAll()
            }
            while fed < samples.count {
                let end = min(fed + Self.samplesAFrame, samples.count)
                pipeline.process(samples.span.extracting(fed..<end), into: &events)
                note()
                if fed / Self.samplesAState != end / Self.samplesAState {
                    state = []
                    pipeline.save(into: &state)
                    hash.combine(state)
                    if let restored = try? MotionPipeline(restoring: state) { pipeline = restored }
                }
                fed = end
            }
            state = []
            pipeline.save(into: &state)
            hash.combine(state)
            pipeline.flush(into: &events)
            note()
            print(name, kind, steps, revolutions, state.count, String(hash.value, radix: 16))
        }
    }

    private func bytes<T>(of value: T) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private static func sample(_ row: RecordedSample) -> MotionSample {
        var sample = MotionSample(
            timeMicroseconds: SimulatedSignal.startMicroseconds + Int64(row.timeSeconds * 1e6), sensors: [])
        if let acceleration = row.acceleration {
            sample.acceleration = acceleration
            sample.sensors.insert(.acceleration)
        }
        if let turning = row.angularVelocity {
            sample.angularVelocity = turning
            sample.sensors.insert(.angularVelocity)
        }
        if let field = row.magneticField {
            sample.magneticField = field
            sample.sensors.insert(.magneticField)
        }
        return sample
    }

    /// With gaps, missing sensors, a spoilt and a late sample now and then, in g, and without gravity after the first
    /// third.
    private static func disturbed(_ samples: [MotionSample]) -> [MotionSample] {
        var shift: Int64 = 0
        return samples.enumerated().compactMap { index, sample in
            var sample = sample
            if index % 2_503 == 1_999 { shift += 1_700_000 }
            sample.timeMicroseconds += shift
            if index % 401 == 17 { return nil }
            if index % 997 == 501 { sample.acceleration.y = .nan }
            if index % 1_499 == 700 { sample.timeMicroseconds -= 500_000 }
            if index % 3_001 > 2_700 { sample.sensors.remove(.angularVelocity) }
            if index % 4_001 > 3_800 { sample.sensors.remove(.acceleration) }
            if index > samples.count / 3 { sample.acceleration /= 9.81 }
            return sample
        }
    }
}
