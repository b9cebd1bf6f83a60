extension MotionPipeline {
    private static let stateVersion: UInt8 = 20
    private static let headerBytes = 1
    private static let checksumBytes = 4

    /// Appends the state: version, configuration, fields, checksum; little-endian, at most ``maximumStateBytes``. A
    /// pipeline restored from it goes on exactly as this one would, bit for bit.
    public func save(into bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(Self.stateVersion)
        var writer = StateCoder(writingAfter: bytes)
        bytes = []
        var (configuration, copy) = (configuration, self)
        configuration.transfer(&writer)
        copy.transfer(&writer)
        bytes = writer.bytes
        let checksum = Self.checksum(bytes[start...])
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: checksum >> shift))
        }
    }

    /// The pipeline that ``save(into:)`` wrote, with its configuration.
    public init(restoring bytes: some RandomAccessCollection<UInt8>) throws(MotionStateError) {
        try self.init(restoringArray: Array(bytes))
    }

    private init(restoringArray bytes: [UInt8]) throws(MotionStateError) {
        guard bytes.count <= Self.maximumStateBytes, bytes.count > Self.headerBytes + Self.checksumBytes else {
            throw .wrongLength(bytes.count)
        }
        guard bytes[0] == Self.stateVersion else { throw .unknownVersion(bytes[0]) }
        let end = bytes.count - Self.checksumBytes
        let saved = bytes[end...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard saved == Self.checksum(bytes[..<end]) else { throw .wrongChecksum }
        var reader = StateCoder(reading: bytes, range: Self.headerBytes..<end)
        var configuration = MotionConfiguration()
        configuration.transfer(&reader)
        guard !reader.isInvalid else { throw .invalidField }
        self.init(configuration: configuration)
        transfer(&reader)
        guard !reader.isInvalid else { throw .invalidField }
        guard reader.isAtEnd else { throw .wrongLength(bytes.count) }
    }

    /// FNV-1a with 32 bits (draft-eastlake-fnv): enough to notice damage.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    private mutating func transfer(_ coder: inout StateCoder) {
        if isUndescribed {
            mount.transfer(&coder)
            if mount.isOnFrame != isOnBike { turn() }
        }
        diagnostics.transfer(&coder)
        sampleGuard.transfer(&coder)
        rateGauge.transfer(&coder)
        resampler.transfer(&coder)
        if hasFront { front.transfer(&coder, isOnBike: isOnBike) }
        if isOnBike {
            crank.transfer(&coder)
        } else {
            decoder?.transfer(&coder)
        }
        prototype?.transfer(&coder)
        classifier.transfer(&coder)
        reporter.transfer(&coder)
    }
}

extension MotionConfiguration {
    fileprivate mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&kind)
        coder.code(&placement)
        var isPrototype = false
        var (sensor, axis) = (PrototypeEstimator.Sensor.acceleration, PrototypeEstimator.Axis.x)
        var (factor, levels) = (Float(0), PrototypeEstimator.Settings.levelsRange.lowerBound)
        if case .prototype(let settings) = estimator {
            isPrototype = true
            (sensor, axis, factor, levels) = (settings.sensor, settings.axis, settings.factor, settings.levels)
        }
        coder.code(&isPrototype)
        guard isPrototype else { return }
        coder.code(&sensor)
        coder.code(&axis)
        coder.code(&factor)
        coder.code(&levels, in: PrototypeEstimator.Settings.levelsRange)
        guard coder.isReading else { return }
        do {
            estimator = .prototype(try .init(sensor: sensor, axis: axis, factor: factor, levels: levels))
        } catch {
            coder.reject()
        }
    }
}
