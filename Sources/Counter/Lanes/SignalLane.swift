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
    /// What has been told for the pause that the stream is in.
    private var advance = PauseAdvance()

    init(configuration: MotionConfiguration) {
        motion = MotionPipeline(configuration: configuration)
    }

    /// Takes a frame's samples and appends what follows, without what was told in advance.
    ///
    /// - Parameters:
    ///   - samples: memory for the frame's samples, so that a steady stream allocates nothing.
    ///   - scratch: memory for the signal's events.
    mutating func process(
        _ frame: Frame, at span: FrameSpan, samples: inout [MotionSample], scratch: inout MotionEvents,
        into events: inout MotionEvents
    ) {
        if span.startsAnew {
            restart(configuration: motion.configuration, into: &events)
        }
        scratch.removeAll()
        if frame.sensors.contains(.gravityRemoved) { motion.tellWithoutGravity() }
        var cursor = FrameCursor(frame: frame, span: span)
        while cursor.refill(&samples) { motion.process(samples.span, into: &scratch) }
        settle(scratch, into: &events)
        advance.expire(nowMicroseconds: span.end)
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

    /// Tells what is pending because the stream is silent, without changing the signal state: if the stream goes on,
    /// it counts as if it had never been silent.
    mutating func tellPause(into events: inout MotionEvents) {
        var copy = motion
        var pending = MotionEvents(minimumCapacity: 8)
        copy.flush(into: &pending)
        var told = advance
        for event in pending {
            guard let left = told.settle(event) else { continue }
            advance.note(left)
            events.append(left)
        }
    }

    /// Ends the signal here, and begins another with the configuration.
    mutating func restart(configuration: MotionConfiguration, into events: inout MotionEvents) {
        var pending = MotionEvents(minimumCapacity: 8)
        motion.flush(into: &pending)
        settle(pending, into: &events)
        motion = MotionPipeline(configuration: configuration)
    }

    private mutating func settle(_ told: MotionEvents, into events: inout MotionEvents) {
        for event in told {
            if let left = advance.settle(event) { events.append(left) }
        }
    }

    /// Notes a second's share, which replaces the one that was told in advance.
    mutating func replace(with share: SecondShare, isAdvance: Bool) -> SecondShare? {
        advance.replace(with: share, isAdvance: isAdvance)
    }

    /// What was told in advance of a pause for a wrong minute, as the stream has shown by now.
    mutating func takeCorrections() -> [PauseAdvance.Correction] { advance.takeCorrections() }

    /// The stream's place in time.
    mutating func transferTime(_ coder: inout StateCoder) {
        clock.transfer(&coder)
        coder.code(&coveredThrough, orNone: .min)
    }

    /// The signal, with what it has told in advance: one is nothing without the other.
    mutating func transferSignal(_ coder: inout StateCoder) {
        advance.transfer(&coder)
        var bytes: [UInt8] = []
        if !coder.isReading { motion.save(into: &bytes) }
        coder.code(blob: &bytes, maximum: MotionPipeline.maximumStateBytes)
        guard coder.isReading else { return }
        if let restored = try? MotionPipeline(restoring: bytes) { motion = restored } else { coder.reject() }
    }
}
