import Motion
import Wire

extension DeviceCounter {
    /// The layout of the state; another one is set aside.
    static let stateVersion: UInt8 = 1
    /// The most bytes of a state.
    static let maximumStateBytes = 2 * WaitingFrame.maximumEncodedBytes + FrameSequence.maximumWaitingBytes + 65_536

    /// The state as bytes: version, fields, checksum (FNV-1a, 64 bits).
    func encodedState() -> [UInt8] {
        var coder = StateCoder(writingAfter: [Self.stateVersion])
        var copy = self
        copy.transfer(&coder)
        var checksum = Self.checksum(coder.bytes[...])
        coder.code(&checksum)
        return coder.bytes
    }

    /// Takes a state back; `nil` where the bytes are not one. What is not state starts as after a pause in listening.
    init?(device: DeviceID, settings: DeviceSettings, state: [UInt8]) {
        guard state.count > 9, state.count <= Self.maximumStateBytes, state[0] == Self.stateVersion else { return nil }
        let end = state.count - 8
        var trailer = StateCoder(reading: state, range: end..<state.count)
        var checksum: UInt64 = 0
        trailer.code(&checksum)
        guard checksum == Self.checksum(state[..<end]) else { return nil }
        self.init(device: device, settings: settings)
        var coder = StateCoder(reading: state, range: 1..<end)
        transfer(&coder)
        guard !coder.isInvalid, coder.isAtEnd else { return nil }
        reports.repeatAfterRestart()
        health.forgetPast(sequence.counts)
    }

    private mutating func transfer(_ coder: inout StateCoder) {
        sequence.transfer(&coder, device: device)
        live.transfer(&coder)
        var hasLate = late != nil
        coder.code(&hasLate)
        if hasLate {
            var lane = late ?? SignalLane(configuration: settings.motion)
            lane.transfer(&coder)
            late = lane
        }
        cranks.transfer(&coder)
        crankMessages.transfer(&coder)
        deviceSteps.transfer(&coder)
        reports.transfer(&coder)
        health.transfer(&coder)
        coder.code(&messagePeriod)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes)
        return hash.value
    }
}

extension DeviceCounter {
    /// Takes the configuration that holds now, which may have changed since the state was stored.
    mutating func adopt(_ settings: DeviceSettings, scratch: inout SignalScratch) {
        self.settings.motion = live.motion.configuration
        configure(settings, scratch: &scratch)
    }

    /// Gives out what is to be told, as of a time on the counter's clock.
    mutating func drainReports(now: Int64, into outputs: inout [LiveOutput]) {
        reports.drain(device, into: &outputs)
        let health = health.next(
            counts: sequence.counts, clock: live.clock, signal: live.motion.diagnostics, now: max(now, heardAt ?? now))
        if let health { outputs.append(LiveOutput(device: device, payload: .health(health))) }
    }
}
