import Counter
import Motion
import Wire

extension FuzzTarget {
    private static let start: Int64 = 1_795_194_000_000_000
    private static let frames = 4
    private static let samplesPerFrame = 50

    /// A state that is believed can be counted on with, and stored again.
    static func deviceState(_ bytes: UnsafeRawBufferPointer) {
        guard let device = try? DeviceID("walker-1") else { return }
        let checksum = Checksum.of(bytes)
        let state = Array(bytes) + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
        var pipeline = CounterPipeline()
        _ = pipeline.restore(device: device, state: state, config: nil)
        for number in 0..<frames { pipeline.accept(record(of: device, number: number)) }
        pipeline.accept(pipeline.findSilent(nowMicroseconds: start))
        pipeline.accept(pipeline.findSilent(nowMicroseconds: start + 60_000_000))
        pipeline.finish()
        for stored in pipeline.takeCommit().states {
            var other = CounterPipeline()
            promise(other.restore(device: device, state: stored.bytes, config: nil), "a state can be taken up again")
        }
        _ = pipeline.takeLive()
    }

    static func record(of device: DeviceID, number: Int) -> MotionRecord {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 1), sequence: UInt64(number * number))
        frame.time = .utc(microseconds: start + Int64(number) * 1_000_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.sampleCount = samplesPerFrame
        frame.values = (0..<samplesPerFrame).flatMap { sample(number * samplesPerFrame + $0) }
        return MotionRecord(
            device: device, arrivalMicroseconds: start + Int64(number + 1) * 1_000_000, content: .frame(frame))
    }

    private static func sample(_ index: Int) -> [Float] { [Float(index % 7), Float(index % 13) - 6, 9.81] }

    /// A signal's state that is believed goes on with any samples.
    static func motionState(_ bytes: UnsafeRawBufferPointer) {
        guard var pipeline = try? MotionPipeline(restoring: MotionPipeline.sealed(Array(bytes))) else { return }
        var events = MotionEvents(minimumCapacity: 8)
        for index in 0..<frames * samplesPerFrame {
            let values = sample(index)
            let sample = MotionSample(
                timeMicroseconds: start + Int64(index) * 20_000,
                acceleration: SIMD3(values[0], values[1], values[2]), sensors: .acceleration)
            pipeline.process([sample].span, into: &events)
        }
        pipeline.flush(into: &events)
        var saved: [UInt8] = []
        pipeline.save(into: &saved)
        promise((try? MotionPipeline(restoring: saved)) != nil, "a signal's state can be taken up again")
    }
}
