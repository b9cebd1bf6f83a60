import Motion
import Wire

/// One stream of samples of a device with its time and its signal state: the live one, or the one for late frames.
struct SampleStream: Sendable {
    /// Covers no more than this between two samples of frames without a rate, in microseconds.
    static let maximumSampleGapMicroseconds: Int64 = 1_000_000
    /// A boot that goes back further than this is a recording of another time, in microseconds. Two devices of one id
    /// are seconds apart, and their time is covered once.
    static let recordingMicroseconds: Int64 = 60_000_000

    var clock = DeviceClock()
    /// The state of the signal: none before the first sample, and after the end. It is the largest part of a device, and
    /// in an array it takes eight bytes of those that have none.
    private var signals: [MotionPipeline] = []
    /// The same while it rests, as bytes: a signal that is silent takes a fifth of its memory.
    private var resting: [RestingSignal] = []
    /// The range of time that has been counted as covered; `.min` for none.
    private var coveredFrom = Int64.min
    private(set) var coveredThrough = Int64.min

    var hasSignal: Bool { !signals.isEmpty || !resting.isEmpty }
    /// True while a signal takes samples, and does not rest.
    var isCounting: Bool { !signals.isEmpty }
    var diagnostics: MotionDiagnostics {
        signals.isEmpty ? resting.first?.diagnostics ?? MotionDiagnostics() : signals[0].diagnostics
    }
    /// What the signal is counted as; `nil` without one.
    var configuration: MotionConfiguration? {
        signals.isEmpty ? resting.first?.configuration : signals[0].configuration
    }

    private struct RestingSignal: Sendable {
        var bytes: [UInt8]
        var configuration: MotionConfiguration
        var diagnostics: MotionDiagnostics
    }

    /// The signal rests until it is needed.
    mutating func rest() {
        guard hasSignal, resting.isEmpty else { return }
        // Without spare capacity.
        let bytes = saved().withUnsafeBytes { Array($0) }
        resting = [RestingSignal(bytes: bytes, configuration: signals[0].configuration, diagnostics: diagnostics)]
        signals = []
    }

    /// A resting signal goes on, as if it had never rested.
    ///
    /// - Parameter unreadable: one more where its bytes, though undamaged, are no signal: then another begins.
    mutating func wake(_ unreadable: inout Int) {
        guard let rest = resting.first else { return }
        resting = []
        if let signal = try? MotionPipeline(restoring: rest.bytes) { signals = [signal] } else { unreadable += 1 }
    }

    /// Takes a frame's samples and appends what follows. A resting signal must be woken first, and before `flush`.
    ///
    /// - Parameters:
    ///   - configuration: what a signal that begins is counted as.
    ///   - samples: memory for the frame's samples, so that a steady stream allocates nothing.
    mutating func process(
        _ frame: Frame, at span: FrameSpan, as configuration: MotionConfiguration, samples: inout [MotionSample],
        into events: inout MotionEvents
    ) {
        if span.startsAnew {
            flush(into: &events)
            dropSignal()
        }
        if signals.isEmpty { signals.append(MotionPipeline(configuration: configuration)) }
        if frame.sensors.contains(.gravityRemoved) { signals[0].markWithoutGravity() }
        var cursor = FrameCursor(frame: frame, span: span)
        while cursor.refill(&samples) { signals[0].process(samples.span, into: &events) }
    }

    /// The part of a frame's time that has not been covered before. A frame of before the range, of an earlier boot
    /// that the broker delivers after a later one, has its time for itself.
    mutating func uncovered(_ frame: Frame, at span: FrameSpan) -> Range<Int64>? {
        if span.end <= coveredFrom { return span.start < span.end ? span.start..<span.end : nil }
        if span.isOfOtherBoot, coveredThrough > span.start, coveredThrough - span.start > Self.recordingMicroseconds {
            forgetCoverage()
        }
        var start = max(span.start, coveredThrough)
        if span.length == 0, coveredThrough != .min, span.start > coveredThrough,
            span.start - coveredThrough <= Self.maximumSampleGapMicroseconds
        {
            start = coveredThrough
        }
        let end = max(span.end, start)
        if coveredFrom == .min { coveredFrom = start }
        coveredThrough = max(coveredThrough, end)
        return start < end ? start..<end : nil
    }

    /// Forgets the range. Late frames come in any order, and each has its time for itself.
    mutating func forgetCoverage() {
        (coveredFrom, coveredThrough) = (.min, .min)
    }

    /// Gives out the events that the signal holds back, as at its end.
    mutating func flush(into events: inout MotionEvents) {
        if !signals.isEmpty { signals[0].flush(into: &events) }
    }

    /// Lets go of the signal, whose events were given out; the next sample begins another.
    mutating func dropSignal() { (signals, resting) = ([], []) }

    /// The stream's place in time.
    mutating func transferTime(_ coder: inout ByteCoder) {
        clock.transfer(&coder)
        coder.code(&coveredFrom, orNone: .min)
        coder.code(&coveredThrough, orNone: .min)
    }

    mutating func transferSignal(_ coder: inout ByteCoder) {
        var bytes = coder.isReading ? [] : saved()
        coder.code(blob: &bytes, maximum: MotionPipeline.maximumStateBytes)
        guard coder.isReading, !bytes.isEmpty else { return }
        guard let (configuration, diagnostics) = try? MotionPipeline.summary(of: bytes) else { return coder.reject() }
        resting = [RestingSignal(bytes: bytes, configuration: configuration, diagnostics: diagnostics)]
    }

    /// The signal as bytes; none without one.
    private func saved() -> [UInt8] {
        if let rest = resting.first { return rest.bytes }
        var bytes: [UInt8] = []
        if !signals.isEmpty {
            bytes.reserveCapacity(MotionPipeline.maximumStateBytes)
            signals[0].save(into: &bytes)
        }
        return bytes
    }
}

/// Reads a frame's rows as samples with their times.
struct FrameCursor {
    private let frame: Frame
    private let span: FrameSpan
    private let sensors: Motion.SensorSet
    private let stride: Int
    private var index = 0
    private var intervalSum: Int64 = 0

    init(frame: Frame, span: FrameSpan) {
        self.frame = frame
        self.span = span
        sensors = Motion.SensorSet(frame.sensors)
        stride = frame.sensors.valuesPerSample
    }

    /// The next sample; `nil` at the end, or where the frame has fewer rows than its sample count.
    mutating func next() -> MotionSample? {
        guard index < frame.sampleCount, stride > 0, (index + 1) * stride <= frame.values.count else { return nil }
        var sample = MotionSample(timeMicroseconds: span.time(at: offset()), sensors: sensors)
        var position = index * stride
        if sensors.contains(.acceleration) { sample.acceleration = vector(&position) }
        if sensors.contains(.angularVelocity) { sample.angularVelocity = vector(&position) }
        if sensors.contains(.magneticField) { sample.magneticField = vector(&position) }
        index += 1
        return sample
    }

    /// Samples that are read at once: enough that what begins with each run weighs little, few enough to stay near.
    static let samplesAtOnce = 64

    /// Replaces samples by the next ones of the frame. False at its end.
    mutating func refill(_ samples: inout [MotionSample]) -> Bool {
        samples.removeAll(keepingCapacity: true)
        while samples.count < Self.samplesAtOnce, let sample = next() { samples.append(sample) }
        return !samples.isEmpty
    }

    private mutating func offset() -> Int64 {
        switch frame.timing {
        case .uniform(let periodNanoseconds): return Int64(index) * Int64(periodNanoseconds) / 1000
        case .intervals:
            if index > 0, index <= frame.intervalsMicroseconds.count {
                intervalSum += Int64(frame.intervalsMicroseconds[index - 1])
            }
            return intervalSum
        }
    }

    /// A zero with a minus becomes one without, as it is in a frame that came over the bus.
    private func vector(_ position: inout Int) -> SIMD3<Float> {
        defer { position += 3 }
        return SIMD3(frame.values[position], frame.values[position + 1], frame.values[position + 2]) + 0
    }
}

/// The seconds of a stream that `Motion` reported with a cadence. It reports a movement only when its beginning is sure, and goes
/// on until its end is sure. Seconds before the first report take the cadence of the steps or revolutions that are counted in
/// them; seconds after the last step or revolution take 0.
struct ToldCadence: Sendable {
    /// Seconds since 1970, and the cadence a minute that they have.
    typealias Correction = (seconds: ClosedRange<Int64>, perMinute: Float)

    /// The end of the last stretch with a cadence, and the start of the present one, in microseconds since 1970; `.min` and
    /// `.max` for none.
    private var end = Int64.min
    private var start = Int64.max
    /// The time at which the newest step or revolution was complete, in microseconds since 1970.
    private var counted = Int64.min

    /// Takes the report of a second.
    ///
    /// - Returns: The seconds at the end of a stretch in which no step or revolution was counted.
    mutating func take(_ second: SecondReport) -> Correction? {
        let begin = second.timeMicroseconds - 1_000_000
        end = min(end, begin)
        guard second.cadenceRPM == 0, second.cadenceSPM == 0 else {
            start = min(start, begin)
            return nil
        }
        guard start != .max else { return nil }
        defer { start = .max }
        end = min(max(counted, start), begin)
        return Self.correction(from: end, to: begin, perMinute: 0)
    }

    /// Takes steps or revolutions, and the time at which the last of them was complete.
    ///
    /// - Returns: The seconds before a stretch that lie between the one before and these, with the cadence of these.
    mutating func take(_ count: Int, at time: Int64) -> Correction? {
        let before = counted
        counted = time
        guard count > 0, before != .min, (1...SilenceRule.minimumMicroseconds).contains(time - before) else {
            return nil
        }
        return Self.correction(
            from: max(before, end), to: min(time, start), perMinute: Float(count) * 60_000_000 / Float(time - before))
    }

    /// The seconds whose middle lies between two times, in microseconds since 1970.
    private static func correction(from start: Int64, to end: Int64, perMinute: Float) -> Correction? {
        let (first, next) = ((start + 500_000) / 1_000_000, (end + 500_000) / 1_000_000)
        return first < next ? (first...next - 1, perMinute) : nil
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&end, orNone: .min)
        coder.code(&start, orNone: .max)
        coder.code(&counted, orNone: .min)
    }
}
