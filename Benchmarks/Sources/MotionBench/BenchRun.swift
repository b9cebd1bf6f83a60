import CAllocationCount
import Motion

/// What one kind of signal costs: the time of many short rounds, because others share the machine. The shortest of them
/// is what the work takes, the middle one what it took here.
struct BenchRun {
    private static let roundCount = 200
    /// Rounds before the measured ones, in which buffers reach their size: two minutes of signal.
    private static let warmingCount = 3
    /// Frames as a phone sends them: the counter empties its buffer of events once for each.
    private static let framesPerSecond = 2

    let leastNanoseconds: Double
    let medianNanoseconds: Double
    /// How often memory was asked for in all measured rounds, or nil where that cannot be told.
    let allocations: Int?
    let sampleCount: Int
    let stateBytes: Int

    init(_ signal: BenchSignal, rateHz: Int, hasField: Bool) {
        var block = signal.block(rateHz: rateHz, hasField: hasField)
        var pipeline = MotionPipeline(configuration: signal.configuration)
        var events = MotionEvents()
        var times = [Int](repeating: 0, count: Self.roundCount)
        var allocations = 0
        for round in -Self.warmingCount..<Self.roundCount {
            let before = allocation_count()
            let start = ProcessorClock.nanoseconds
            Self.feed(block, rateHz / Self.framesPerSecond, &pipeline, &events)
            let time = ProcessorClock.nanoseconds - start
            if round >= 0 {
                times[round] = time
                allocations += allocation_count() - before
            }
            Self.postpone(&block)
        }
        var state: [UInt8] = []
        pipeline.save(into: &state)
        times.sort()
        leastNanoseconds = Double(times[0]) / Double(block.count)
        medianNanoseconds = Double(times[Self.roundCount / 2]) / Double(block.count)
        self.allocations = allocation_count() >= 0 ? allocations : nil
        sampleCount = block.count * Self.roundCount
        stateBytes = state.count
    }

    /// Moves a block to the time after it.
    private static func postpone(_ block: inout [MotionSample]) {
        for index in block.indices {
            block[index].timeMicroseconds += Int64(BenchSignal.blockSeconds) * 1_000_000
        }
    }

    private static func feed(
        _ samples: [MotionSample], _ samplesAFrame: Int, _ pipeline: inout MotionPipeline,
        _ events: inout MotionEvents
    ) {
        for start in stride(from: 0, to: samples.count, by: samplesAFrame) {
            let frame = start..<min(start + samplesAFrame, samples.count)
            pipeline.process(samples.span.extracting(frame), into: &events)
            events.removeAll()
        }
    }
}
