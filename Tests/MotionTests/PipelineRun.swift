import Motion
import Testing

/// What a pipeline says about a whole signal.
struct PipelineRun {
    private(set) var steps = 0
    private(set) var revolutions = 0
    private(set) var seconds: [SecondReport] = []
    private(set) var events: [MotionEvent] = []
    private(set) var diagnostics = MotionDiagnostics()

    init(_ samples: [MotionSample], _ configuration: MotionConfiguration, saysWithoutGravity: Bool = false) {
        var pipeline = MotionPipeline(configuration: configuration)
        var buffer = MotionEvents()
        for sample in samples {
            if saysWithoutGravity { pipeline.markWithoutGravity() }
            pipeline.process(sample, into: &buffer)
        }
        pipeline.flush(into: &buffer)
        diagnostics = pipeline.diagnostics
        for event in buffer {
            take(event)
        }
    }

    private mutating func take(_ event: MotionEvent) {
        events.append(event)
        switch event {
        case .steps(let count, _): steps += count
        case .revolutions(let count, _): revolutions += count
        case .second(let report): seconds.append(report)
        }
    }

    /// Seconds from the signal's start until the cadence, of either kind, was last seen above zero.
    var lastActiveSecond: Double {
        let last = seconds.last { $0.cadenceRPM > 0 || $0.cadenceSPM > 0 }
        guard let last else { return 0 }
        return Double(last.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6
    }
}

extension MotionConfiguration {
    static let wrist = MotionConfiguration(kind: .wearable, placement: .wrist)
    static let carried = MotionConfiguration(kind: .wearable, placement: .carried)
    static let pocket = MotionConfiguration(kind: .wearable, placement: .pocket)
    static let ankle = MotionConfiguration(kind: .wearable, placement: .leg)
    static let frame = MotionConfiguration(kind: .bike, placement: .frame)
}

extension MotionPipeline {
    /// Takes one sample.
    mutating func process(_ sample: MotionSample, into events: inout MotionEvents) {
        process([sample].span, into: &events)
    }

    /// What comes back of it when it is saved.
    func savedAndRestored() throws -> MotionPipeline {
        var (bytes, again): ([UInt8], [UInt8]) = ([], [])
        save(into: &bytes)
        #expect(bytes.count <= MotionPipeline.maximumStateBytes)
        let restored = try MotionPipeline(restoring: bytes)
        restored.save(into: &again)
        #expect(bytes == again)
        #expect(restored.configuration == configuration)
        return restored
    }
}
