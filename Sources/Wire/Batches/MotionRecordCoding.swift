extension MotionRecord {
    package mutating func code(_ coder: inout ByteCoder) {
        coder.code(&device)
        coder.code(bits: &arrivalMicroseconds)
        content.code(&coder, reusing: Frame())
    }
}

extension MotionContent {
    private enum Kind: UInt8 {
        case frame = 1
        case revolutions, steps, refusal, activity, name, reading, recorded
    }

    private var kind: Kind {
        switch self {
        case .frame: .frame
        case .revolutions: .revolutions
        case .reading: .reading
        case .recorded: .recorded
        case .steps: .steps
        case .activity: .activity
        case .name: .name
        case .refusal: .refusal
        }
    }

    /// A frame is read into `storage`.
    mutating func code(_ coder: inout ByteCoder, reusing storage: consuming Frame) {
        var kind = kind
        coder.code(&kind)
        switch kind {
        case .frame:
            var frame = consume storage
            if case .frame(let known) = self { frame = known }
            frame.code(&coder)
            self = .frame(frame)
        case .revolutions:
            let empty = RevolutionCount(
                identity: .none, time: .absent, cumulative: 0, modulus: 0, lastEventTime1024: nil)
            var count = if case .revolutions(let known) = self { known } else { empty }
            count.code(&coder)
            self = .revolutions(count)
        case .reading:
            let empty = Reading(.heart, 0, identity: .none, time: .absent)
            var reading = if case .reading(let known) = self { known } else { empty }
            reading.code(&coder)
            self = .reading(reading)
        case .recorded:
            var recorded = if case .recorded(let known) = self { known } else { RecordedSeconds(start: 0) }
            recorded.code(&coder)
            self = .recorded(recorded)
        case .steps:
            let boot = BootID(rawValue: 0)
            let empty = DeviceStepCount(kind: .boot, steps: 0, startMicroseconds: 0, endMicroseconds: 0, boot: boot)
            var count = if case .steps(let known) = self { known } else { empty }
            count.code(&coder)
            self = .steps(count)
        case .activity:
            var (activity, confidence, time) = (ActivityKind.unknown, ActivityConfidence.low, Int64(0))
            if case .activity(let known, let sure, let at) = self { (activity, confidence, time) = (known, sure, at) }
            coder.code(&activity)
            coder.code(caseOf: &confidence)
            coder.code(bits: &time)
            self = .activity(activity, confidence, atMicroseconds: time)
        case .name:
            var text = ""
            if case .name(let known) = self { text = PayloadLimits.cut(known) }
            coder.code(&text, maximumBytes: PayloadLimits.maximumTextBytes)
            self = .name(text)
        case .refusal:
            var (reason, count) = (WireError.malformed, UInt32(0))
            if case .refusal(let known, let number) = self { (reason, count) = (known, number) }
            coder.code(&reason)
            coder.code(bits: &count)
            self = .refusal(reason, count: count)
        }
    }
}

extension Frame {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        if coder.isReading { removeAll() }
        coder.code(&identity)
        coder.code(&time)
        coder.code(&timing)
        if case .intervals = timing {
            coder.code(
                array: &intervalsMicroseconds, maximum: FrameLimits.maximumSamples - 1, empty: 0,
                orElse: .tooManySamples
            ) { $0.code(bits: &$1) }
        }
        var bits = sensors.rawValue
        coder.code(bits: &bits)
        sensors = SensorSet(rawValue: bits)
        sampleCount = coder.code(count: sampleCount, maximum: FrameLimits.maximumSamples, orElse: .tooManySamples)
        let valueCount = sampleCount * sensors.valuesPerSample
        if coder.isReading { values.append(contentsOf: repeatElement(0, count: valueCount)) }
        guard values.count == valueCount else { return }
        for column in 0..<sensors.sensorCount where !coder.isInvalid {
            guard coder.isReading else {
                PackedSamples.write(self, column: column, to: &coder.writer)
                continue
            }
            _ = coder.read { reader throws(WireError) in try PackedSamples.read(&reader, into: &self, column: column) }
        }
        coder.code(
            array: &pressuresHectopascals, maximum: FrameLimits.maximumSamples, empty: 0, orElse: .tooManySamples
        ) { coder, pressure in
            var bits = pressure.bitPattern
            coder.code(bits: &bits)
            pressure = Float(bitPattern: bits)
            // One that is no number is a sample that is missing.
            if pressure.isInfinite { coder.reject(.outOfRange) }
        }
    }
}

extension RevolutionCount {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(&identity)
        coder.code(&time)
        coder.code(bits: &cumulative)
        coder.code(bits: &modulus)
        coder.code(optional: &lastEventTime1024, empty: 0) { $0.code(bits: &$1) }
    }
}

extension Reading {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(caseOf: &kind)
        coder.code(&identity)
        coder.code(&time)
        coder.code(finite: &value)
    }
}

extension DeviceStepCount {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(&kind)
        coder.code(bits: &steps)
        coder.code(bits: &startMicroseconds)
        coder.code(bits: &endMicroseconds)
        coder.code(&boot)
        coder.code(bits: &microSteps)
        if microSteps >= 1_000_000 { coder.reject() }
    }
}

extension RecordedSeconds {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(bits: &start)
        coder.code(&isOfSteps)
        for channel in [\Self.cadence, \.watts, \.bpm] {
            coder.code(
                array: &self[keyPath: channel], maximum: Self.maximumSeconds, empty: nil, orElse: .tooManySamples
            ) { coder, number in
                // The greatest number stands for one that is not known.
                var bits = number.map { UInt16(clamping: $0) } ?? .max
                coder.code(bits: &bits)
                number = bits == .max ? nil : min(Int(bits), Trace.Channel.maximum)
            }
        }
    }
}

extension FrameIdentity {
    fileprivate static let none = FrameIdentity.unsequenced(contentHash: 0)
}

extension ByteCoder {
    /// One of the cases of an enum, by its place among them.
    fileprivate mutating func code<Case: CaseIterable & Equatable>(caseOf value: inout Case)
    where Case.AllCases == [Case] {
        var place = UInt8(truncatingIfNeeded: Case.allCases.firstIndex(of: value) ?? 0)
        code(bits: &place)
        if Case.allCases.indices.contains(Int(place)) { value = Case.allCases[Int(place)] } else { reject() }
    }

    fileprivate mutating func code(_ identity: inout FrameIdentity) {
        var (boot, number) = (BootID?.none, UInt64(0))
        switch identity {
        case .sequenced(let known, let sequence): (boot, number) = (known, sequence)
        case .unsequenced(let contentHash): number = contentHash
        }
        code(optional: &boot, empty: BootID(rawValue: 0)) { $0.code(&$1) }
        code(bits: &number)
        identity = boot.map { .sequenced(boot: $0, sequence: number) } ?? .unsequenced(contentHash: number)
    }

    fileprivate mutating func code(_ time: inout FrameTime) {
        var (isUTC, microseconds) = (true, Int64?.none)
        switch time {
        case .utc(let known): microseconds = known
        case .uptime(let known): (isUTC, microseconds) = (false, known)
        case .absent: break
        }
        code(optional: &microseconds, empty: 0) { coder, microseconds in
            coder.code(&isUTC)
            coder.code(bits: &microseconds)
        }
        time = microseconds.map { isUTC ? .utc(microseconds: $0) : .uptime(microseconds: $0) } ?? .absent
    }

    fileprivate mutating func code(_ timing: inout FrameTiming) {
        var period = UInt32?.none
        if case .uniform(let known) = timing { period = known }
        code(optional: &period, empty: 0) { $0.code(bits: &$1) }
        timing = period.map { .uniform(periodNanoseconds: $0) } ?? .intervals
    }
}
