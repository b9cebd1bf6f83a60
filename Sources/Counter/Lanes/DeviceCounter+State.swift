import Motion
import Wire

extension DeviceCounter {
    /// The most bytes of a state.
    static let maximumStateBytes = 2 * WaitingFrame.maximumEncodedBytes + FrameSequence.maximumWaitingBytes + 65_536

    /// The state as bytes.
    func encodedState() -> [UInt8] {
        var container = StateContainer()
        var copy = self
        for section in StateSection.allCases where late != nil || !section.isOfLateFrames {
            container.write(section) { copy.transfer(section, &$0) }
        }
        return container.finish()
    }

    /// Takes a state back; `nil` where the bytes are not one. A section that cannot be read starts as for a new device.
    /// What is not state starts as after a pause in listening.
    init?(device: DeviceID, settings: DeviceSettings, state: [UInt8]) {
        guard state.count <= Self.maximumStateBytes, let container = StateContainer(reading: state) else { return nil }
        self.init(device: device, settings: settings)
        for section in StateSection.allCases {
            if section == .lateTime, container.has(.lateTime) { late = SignalLane(configuration: settings.motion) }
            guard late != nil || !section.isOfLateFrames else { continue }
            var copy = self
            if container.read(section, { copy.transfer(section, &$0) }) {
                self = copy
            } else if section == .identity {
                return nil
            } else {
                sectionsBegunAnew += 1
            }
        }
        reports.repeatAfterRestart()
        health.forgetPast(sequence.counts, live.motion.diagnostics)
    }

    private mutating func transfer(_ section: StateSection, _ coder: inout StateCoder) {
        switch section {
        case .identity:
            sequence.transfer(&coder, device: device)
            reports.transferTotals(&coder)
        case .selfCounting:
            cranks.transfer(&coder)
            crankMessages.transfer(&coder)
            deviceSteps.transfer(&coder)
        case .liveTime: live.transferTime(&coder)
        case .liveSignal: live.transferSignal(&coder)
        case .lateTime: late?.transferTime(&coder)
        case .lateSignal: late?.transferSignal(&coder)
        case .reports:
            reports.transfer(&coder)
            coder.code(&messagePeriod)
        case .health: health.transfer(&coder)
        case .crankOrigin: crankOrigin.transfer(&coder)
        case .stepRate:
            stepRate.transfer(&coder)
            lateStepRate.transfer(&coder)
        case .floors: transferFloors(&coder)
        case .standIn: transferStandIn(&coder)
        }
    }

    private mutating func transferStandIn(_ coder: inout StateCoder) {
        reports.transferAhead(&coder)
        let empty = MinuteIncrement(device: device, minute: 0)
        coder.code(array: &standIn, maximum: Self.maximumStandIns, empty: empty) { $1.transferSums(&$0) }
    }

    private mutating func transferFloors(_ coder: inout StateCoder) {
        var bytes: [UInt8] = []
        if !coder.isReading { floors.save(into: &bytes) }
        coder.code(blob: &bytes, maximum: FloorCounter.maximumStateBytes)
        guard coder.isReading else { return }
        if let restored = try? FloorCounter(restoring: bytes) { floors = restored } else { coder.reject() }
    }
}

extension StateSection {
    fileprivate var isOfLateFrames: Bool { self == .lateTime || self == .lateSignal }
}

extension DeviceCounter {
    /// Takes the configuration that holds now, which may have changed since the state was stored.
    mutating func adopt(_ settings: DeviceSettings, scratch: inout SignalScratch) {
        self.settings.motion = live.motion.configuration
        configure(settings, scratch: &scratch)
    }

    /// Gives out what is to be told, as of a time on the counter's clock.
    mutating func drainReports(now: Int64, into outputs: inout [LiveOutput]) {
        reports.drain(device, micrometresPerRevolution: settings.micrometresPerRevolution, into: &outputs)
        let health = health.next(
            counts: sequence.counts, clock: live.clock, signal: live.motion.diagnostics, facts: facts,
            now: max(now, heardAt ?? now))
        if let health { outputs.append(LiveOutput(device: device, payload: .health(health))) }
    }
}
