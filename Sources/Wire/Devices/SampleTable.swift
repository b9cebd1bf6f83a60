/// Samples of one sensor with a time each, as apps report them: in any order, some of them twice.
struct SampleTrack {
    struct Sample: Equatable {
        var microseconds: Int64
        var value: SIMD3<Float>
    }

    var samples: [Sample] = []

    mutating func append(_ value: SIMD3<Float>, atMicroseconds time: Int64) throws(WireError) {
        guard samples.count < FrameLimits.maximumSamples else { throw .tooManySamples }
        samples.append(Sample(microseconds: time, value: value))
    }

    var isEmpty: Bool { samples.isEmpty }

    /// Sorts the samples by time, and keeps one for each time.
    mutating func sort() {
        samples.sort { $0.microseconds < $1.microseconds }
        var kept: [Sample] = []
        kept.reserveCapacity(samples.count)
        for sample in samples where sample.microseconds != kept.last?.microseconds { kept.append(sample) }
        samples = kept
    }

    /// The values nearest in time to the samples of another track. Both must be sorted.
    func nearest(to other: SampleTrack) -> [SIMD3<Float>] {
        guard !samples.isEmpty else { return [] }
        var index = 0
        return other.samples.map { sample in
            while index + 1 < samples.count,
                distance(index + 1, sample.microseconds) <= distance(index, sample.microseconds)
            { index += 1 }
            return samples[index].value
        }
    }

    private func distance(_ index: Int, _ time: Int64) -> UInt64 {
        samples[index].microseconds.subtractingReportingOverflow(time).partialValue.magnitude
    }

    mutating func removeAll(through time: Int64) { samples.removeAll { $0.microseconds <= time } }

    mutating func scale(by factor: Float) {
        for index in samples.indices { samples[index].value *= factor }
    }

    /// Adds to each sample the value of another track nearest in time: user acceleration plus gravity.
    mutating func add(_ other: SampleTrack) {
        for (index, value) in other.nearest(to: self).enumerated() { samples[index].value += value }
    }
}

/// Tracks of several sensors, joined into frames: one sensor sets the rows, the others give their nearest samples.
struct SampleTable {
    var acceleration = SampleTrack()
    var angularVelocity = SampleTrack()
    var magneticField = SampleTrack()
    var pressuresHectopascals: [Float] = []
    var isGravityRemoved = false
    /// The meaning of the samples' times.
    var clock = Clock.utc

    enum Clock {
        case utc, uptime, none
    }

    /// The track that sets the rows.
    private var rows: SampleTrack {
        [acceleration, angularVelocity, magneticField].first { !$0.isEmpty } ?? SampleTrack()
    }

    /// The frames of the samples. A new one begins after every gap that is too long for one frame. Samples up to the last one
    /// of the message before are left out where it is among them: an experiment may send a window that slides, or grows.
    ///
    /// The first frame has the given identity, or else the hash of the message's content. The others have identities
    /// derived from that hash.
    mutating func contents(
        of message: DeviceMessage, identity: FrameIdentity? = nil, _ memory: inout DeviceMemory
    ) throws(WireError) -> [MotionContent] {
        let contentHash = StableHash.of(message.payload)
        let identity = identity ?? .unsequenced(contentHash: contentHash)
        acceleration.sort()
        angularVelocity.sort()
        magneticField.sort()
        if clock != .none, let told = memory.lastSample, let place = rows.samples.firstIndex(of: told),
            place < rows.samples.count - 1
        {
            acceleration.removeAll(through: told.microseconds)
            angularVelocity.removeAll(through: told.microseconds)
            magneticField.removeAll(through: told.microseconds)
        }
        let rows = rows
        guard let last = rows.samples.last else { return [] }
        memory.lastSample = last
        let columns = [
            (SensorSet.acceleration, acceleration), (.angularVelocity, angularVelocity),
            (.magneticField, magneticField),
        ].filter { !$0.1.isEmpty }.map { (sensor: $0.0, values: $0.1.nearest(to: rows)) }
        var frames: [MotionContent] = []
        var start = 0
        for index in 1...rows.samples.count {
            let isEnd = index == rows.samples.count
            let gap = isEnd ? 0 : rows.samples[index].microseconds - rows.samples[index - 1].microseconds
            guard isEnd || gap > Int64(FrameLimits.maximumIntervalMicroseconds) else { continue }
            var frame = try frame(rows.samples[start..<index], columns)
            let number = UInt64(frames.count)
            frame.identity = number == 0 ? identity : .unsequenced(contentHash: contentHash &+ number)
            if number == 0 { frame.pressuresHectopascals = pressuresHectopascals }
            try frame.checkTiming()
            try frame.checkValues()
            frames.append(.frame(frame))
            start = index
        }
        memory.hasSamples = true
        return frames
    }

    private func frame(
        _ rows: ArraySlice<SampleTrack.Sample>, _ columns: [(sensor: SensorSet, values: [SIMD3<Float>])]
    ) throws(WireError) -> Frame {
        var frame = Frame()
        frame.sampleCount = rows.count
        for column in columns { frame.sensors.insert(column.sensor) }
        if isGravityRemoved { frame.sensors.insert(.gravityRemoved) }
        frame.values.reserveCapacity(rows.count * frame.sensors.valuesPerSample)
        for index in rows.indices {
            for column in columns {
                for axis in 0..<3 { frame.values.append(column.values[index][axis]) }
            }
        }
        guard let first = rows.first else { return frame }
        switch clock {
        case .utc: frame.time = try .checkedUTC(microseconds: first.microseconds)
        case .uptime: frame.time = try .checkedUptime(microseconds: first.microseconds)
        case .none: frame.time = .absent
        }
        guard rows.count > 1 else { return frame }
        frame.timing = .intervals
        frame.intervalsMicroseconds = zip(rows, rows.dropFirst()).map {
            UInt32(clamping: $1.microseconds - $0.microseconds)
        }
        return frame
    }
}

extension JSONValue {
    /// The number as a sample, infinite where it is too large for one; nil for `null`, which stands for NaN.
    func sample() throws(WireError) -> Float? {
        if self == .null { return nil }
        guard let number = double else { throw .wrongType }
        return Float(number)
    }
}

extension JSONObject {
    /// The vector of three named numbers; nil if one is `null` or all are missing. Throws `.wrongType` if only some are
    /// missing.
    func vector(_ x: String, _ y: String, _ z: String) throws(WireError) -> SIMD3<Float>? {
        guard let first = member(x), let second = member(y), let third = member(z) else {
            guard self[x] == nil, self[y] == nil, self[z] == nil else { throw .wrongType }
            return nil
        }
        let (x, y, z) = (try first.sample(), try second.sample(), try third.sample())
        guard let x, let y, let z else { return nil }
        return SIMD3(x, y, z)
    }
}
