import Motion
import Wire

/// One stream of samples of a device with its time and its signal state: the live one, or the one for late frames.
struct SignalLane: Sendable {
    /// Covers no more than this between two samples of frames without a rate, in microseconds.
    static let maximumSampleGapMicroseconds: Int64 = 1_000_000

    /// The stream's time.
    var clock = DeviceClock()
    /// The stream's signal state.
    private(set) var motion: MotionPipeline
    /// The end of the samples that have been counted as covered time.
    private(set) var coveredThrough = Int64.min

    init(configuration: MotionConfiguration) {
        motion = MotionPipeline(configuration: configuration)
    }

    /// Takes a frame's samples and appends what follows.
    ///
    /// - Parameter samples: memory for the frame's samples, so that a steady stream allocates nothing.
    mutating func process(
        _ frame: Frame, at span: FrameSpan, samples: inout [MotionSample], into events: inout MotionEvents
    ) {
        if span.startsAnew {
            restart(configuration: motion.configuration, into: &events)
        }
        if frame.sensors.contains(.gravityRemoved) { motion.tellWithoutGravity() }
        var cursor = FrameCursor(frame: frame, span: span)
        while cursor.refill(&samples) { motion.process(samples.span, into: &events) }
    }

    /// The part of a frame's time that has not been covered before.
    mutating func uncovered(_ frame: Frame, at span: FrameSpan) -> Range<Int64>? {
        var start = max(span.start, coveredThrough)
        if span.span == 0, coveredThrough != .min, span.start > coveredThrough,
            span.start - coveredThrough <= Self.maximumSampleGapMicroseconds
        {
            start = coveredThrough
        }
        let end = max(span.end, start)
        coveredThrough = max(coveredThrough, end)
        return start < end ? start..<end : nil
    }

    /// Tells what the signal holds back, as at its end.
    mutating func flush(into events: inout MotionEvents) {
        motion.flush(into: &events)
    }

    /// Ends the signal here, and begins another with the configuration.
    mutating func restart(configuration: MotionConfiguration, into events: inout MotionEvents) {
        motion.flush(into: &events)
        motion = MotionPipeline(configuration: configuration)
    }

    /// The stream's place in time.
    mutating func transferTime(_ coder: inout StateCoder) {
        clock.transfer(&coder)
        coder.code(&coveredThrough, orNone: .min)
    }

    /// The signal.
    mutating func transferSignal(_ coder: inout StateCoder) {
        var bytes: [UInt8] = []
        if !coder.isReading { motion.save(into: &bytes) }
        coder.code(blob: &bytes, maximum: MotionPipeline.maximumStateBytes)
        guard coder.isReading else { return }
        if let restored = try? MotionPipeline(restoring: bytes) { motion = restored } else { coder.reject() }
    }
}
