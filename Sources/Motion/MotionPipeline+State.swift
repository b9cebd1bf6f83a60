extension MotionPipeline {
    /// The layouts of bikes, people, undescribed devices and the prototype's rule.
    private static let layouts = StateLayouts(revision: 28) { state in
        let rule = PrototypeEstimator.Settings.unread
        let configurations: [MotionConfiguration] = [
            .init(), .init(kind: .bike), .init(kind: .wearable), .init(kind: .bike, estimator: .prototype(rule)),
        ]
        for configuration in configurations {
            var (configuration, pipeline) = (configuration, MotionPipeline(configuration: configuration))
            configuration.copy(&state)
            pipeline.copy(&state)
        }
    }

    /// Appends the state, at most ``maximumStateBytes``. A pipeline restored from it goes on exactly as this one would,
    /// bit for bit; another version of the program begins its signal anew instead.
    public func save(into bytes: inout [UInt8]) {
        var (configuration, copy) = (configuration, self)
        SealedState.append(to: &bytes, Self.layouts) { state in
            configuration.copy(&state)
            copy.copy(&state)
        }
    }

    /// The pipeline that ``save(into:)`` wrote, with its configuration.
    public init(restoring bytes: some RandomAccessCollection<UInt8>) throws(MotionStateError) {
        var pipeline = MotionPipeline(configuration: MotionConfiguration())
        try SealedState.read(Array(bytes), Self.layouts, most: Self.maximumStateBytes) { state in
            var configuration = MotionConfiguration()
            configuration.copy(&state)
            guard state.isSound else { return }
            pipeline = MotionPipeline(configuration: configuration)
            pipeline.copy(&state)
        }
        self = pipeline
    }

    /// The configuration and the diagnostics of bytes that ``save(into:)`` wrote. What follows them is as it was written,
    /// but whether it is a state only ``init(restoring:)`` tells.
    public static func summary(
        of bytes: [UInt8]
    ) throws(MotionStateError) -> (configuration: MotionConfiguration, diagnostics: MotionDiagnostics) {
        var summary = (configuration: MotionConfiguration(), diagnostics: MotionDiagnostics())
        try SealedState.read(bytes, layouts, most: maximumStateBytes, isWhole: false) { state in
            summary.configuration.copy(&state)
            guard state.isSound else { return }
            if summary.configuration.counting == .deciding {
                var mount = MountClassifier()
                state.part(&mount)
            }
            state.part(&summary.diagnostics)
        }
        return summary
    }

    /// The state that has these bytes as its parts, for tests with parts that no pipeline wrote.
    package static func sealed(_ parts: [UInt8]) -> [UInt8] {
        var (bytes, parts) = ([UInt8](), parts)
        SealedState.append(to: &bytes, layouts) { $0.elements(&parts, parts.indices) }
        return bytes
    }

    private mutating func copy(_ state: inout StateCopy) {
        if counting == .deciding {
            state.part(&mount)
            guard state.isSound else { return }
            if state.isReading, mount.isOnFrame { turn() }
        }
        state.part(&diagnostics)
        state.part(&sampleGuard)
        state.part(&rateGauge)
        state.part(&resampler)
        state.expect(resampler.isSound)
        state.part(&accelerometer)
        state.part(&grain)
        if hasFront { front.copy(&state, isOnBike: isOnBike) }
        if isOnBike {
            crank.copy(&state)
        } else if isOnPerson {
            decoder.copy(&state)
        }
        rule?.copy(&state)
        state.part(&classifier)
        state.part(&reporter)
    }
}

extension MotionConfiguration {
    fileprivate mutating func copy(_ state: inout StateCopy) {
        state.part(&kind)
        state.part(&placement)
        var isRule = estimator != .periodic
        state.part(&isRule)
        guard state.isSound, isRule else { return }
        var settings = PrototypeEstimator.Settings.unread
        if case .prototype(let own) = estimator { settings = own }
        state.part(&settings)
        state.expect(settings.isSound)
        estimator = .prototype(settings)
    }
}
