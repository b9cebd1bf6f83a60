import Motion

/// What counting costs: nanoseconds of one core a sample of six axes at 50 Hz and of bytes of state, for a few kinds of
/// signal. `swift run -c release motionbench`, with a word of the
/// name for some of them alone.
@main
struct MotionBench {
    /// The best of so many runs is told: others share the machine.
    private static let runCount = 9
    /// Samples before the measured ones, in which buffers reach their size: two minutes.
    private static let warmingCount = 6000
    /// Measured samples of a run: ten minutes.
    private static let measuredCount = 30_000

    static func main() {
        print("signal                   ns a sample   state bytes")
        let wanted = CommandLine.arguments.dropFirst().first ?? ""
        for signal in BenchSignal.all where wanted.isEmpty || signal.name.contains(wanted) {
            let samples = signal.samples(count: warmingCount + measuredCount)
            let results = (0..<runCount).map { _ in run(samples, signal.configuration) }
            let nanoseconds = results.map(\.nanoseconds).min() ?? 0
            print(padded(signal.name, 24), padded(tenths(nanoseconds), 13), results.first?.stateBytes ?? 0)
        }
    }

    private struct Result {
        let nanoseconds: Double
        let stateBytes: Int
    }

    private static func run(_ samples: [MotionSample], _ configuration: MotionConfiguration) -> Result {
        var pipeline = MotionPipeline(configuration: configuration)
        var events = MotionEvents()
        feed(samples[..<warmingCount], &pipeline, &events)
        let before = ProcessorClock.nanoseconds
        feed(samples[warmingCount...], &pipeline, &events)
        let nanoseconds = ProcessorClock.nanoseconds - before
        var state: [UInt8] = []
        pipeline.save(into: &state)
        return Result(
            nanoseconds: Double(nanoseconds) / Double(measuredCount), stateBytes: state.count)
    }

    private static func feed(
        _ samples: ArraySlice<MotionSample>, _ pipeline: inout MotionPipeline, _ events: inout MotionEvents
    ) {
        for sample in samples {
            pipeline.process(sample, into: &events)
            events.removeAll()
        }
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}
