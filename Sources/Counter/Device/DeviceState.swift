import Motion
import Wire

extension DeviceCounter {
    static let maximumStateBytes = 2 * WaitingFrame.maximumEncodedBytes + FrameSequence.maximumWaitingBytes + 65_536

    func encodedState() -> [UInt8] {
        var container = StateContainer()
        var copy = self
        for section in StateSection.allCases where section != .signal || hasSignal {
            container.write(section) { copy.transfer(section, &$0) }
        }
        return container.finish()
    }

    /// Takes a state back; `nil` where the bytes are not one. A section that cannot be read starts as for a new device.
    /// Fields outside the state start as after a pause in listening.
    init?(device: DeviceID, settings: DeviceSettings, state: [UInt8]) {
        guard state.count <= Self.maximumStateBytes, let container = StateContainer(reading: state) else { return nil }
        self.init(device: device, settings: settings)
        for section in StateSection.allCases where section != .signal || container.has(.signal) {
            var copy = self
            if container.read(section, { copy.transfer(section, &$0) }) {
                self = copy
            } else if section == .identity {
                return nil
            } else {
                sectionsBegunAnew += 1
            }
        }
        if silence != .settled { reports.repeatAfterRestart() }
        health.forgetPast(sequence.counts, selfCounting, live.diagnostics)
    }

    private mutating func transfer(_ section: StateSection, _ coder: inout StateCoder) {
        switch section {
        case .identity:
            sequence.transfer(&coder, device: device)
            reports.transferTotals(&coder)
            var isSettled = silence == .settled
            coder.code(&isSettled)
            if isSettled { silence = .settled }
        case .counts:
            selfCounting.transfer(&coder)
            readings.transfer(&coder)
            recordedTime.transfer(&coder)
            live.transferTime(&coder)
            reports.transfer(&coder)
            coder.code(&messagePeriod)
            health.transfer(&coder)
            stepRate.transfer(&coder)
            lateStepRate.transfer(&coder)
            transferFloors(&coder)
            transferStandIn(&coder)
        case .signal:
            live.transferSignal(&coder)
            coder.code(array: &lateStreams, maximum: 1, empty: SampleStream()) {
                $1.transferTime(&$0)
                $1.transferSignal(&$0)
            }
        case .logPosition: coder.code(&storedThrough)
        }
    }

    private mutating func transferStandIn(_ coder: inout StateCoder) {
        reports.transferAhead(&coder)
        let empty = MinuteIncrement(device: device, minute: 0)
        coder.code(array: &standIn, maximum: Self.maximumStandIns, empty: empty) { $1.transferSums(&$0) }
        coder.code(&standInEndsAt)
    }

    private mutating func transferFloors(_ coder: inout StateCoder) {
        var bytes: [UInt8] = []
        if !coder.isReading { floors.save(into: &bytes) }
        coder.code(blob: &bytes, maximum: FloorCounter.maximumStateBytes)
        guard coder.isReading else { return }
        if let restored = try? FloorCounter(restoring: bytes) { floors = restored } else { coder.reject() }
    }
}

extension StateCoder {
    mutating func code(_ quantity: inout Quantity) {
        var value = quantity.value
        code(&value)
        quantity = Quantity(value)
    }
}

extension DeviceCounter {
    /// Takes the configuration that holds now, which may have changed since the state was stored.
    mutating func adopt(_ settings: DeviceSettings, scratch: inout SignalScratch) {
        self.settings.motion = live.configuration ?? settings.motion
        configure(settings, scratch: &scratch)
    }

    /// Gives out the reports that are due at a time on the counter's clock.
    ///
    /// - Parameter deviceCount: the number of devices that may report.
    mutating func drainReports(now: Int64, deviceCount: Int, into outputs: inout [LiveOutput]) {
        readings.drain(device, into: &outputs)
        reports.drain(device, micrometresPerRevolution: settings.micrometresPerRevolution, into: &outputs)
        let health = health.next(
            counts: sequence.counts, selfCounting: selfCounting, clock: live.clock, signal: live.diagnostics,
            facts: facts,
            now: max(now, lastMessageAt ?? now),
            troubleInterval: DeviceHealthReport.troubleInterval(deviceCount: silence == .notSilent ? deviceCount : 0))
        if let health { outputs.append(LiveOutput(device: device, payload: .health(health))) }
    }
}

/// The sections of a device's state as bytes: the container's version, each section as number, version, length (4
/// bytes) and fields, and a checksum over all (CRC-32C). Little-endian.
struct StateContainer {
    /// The layout of the container; another one is set aside.
    static let version: UInt8 = 4
    private static let checksumBytes = 4
    private static let sectionHeadBytes = 6

    private(set) var bytes: [UInt8] = [Self.version]
    private var places: [UInt8: (version: UInt8, range: Range<Int>)] = [:]

    /// The usual size of a state, in bytes: one allocation for each state of a commit.
    private static let usualBytes = 8_192

    init() {
        bytes.reserveCapacity(Self.usualBytes)
    }

    /// Reads where the sections are; `nil` where the bytes are damaged or no container of this version.
    init?(reading bytes: [UInt8]) {
        guard bytes.count > Self.checksumBytes, bytes[0] == Self.version else { return nil }
        let end = bytes.count - Self.checksumBytes
        guard Self.checksum(bytes, count: end) == Self.number(bytes[end...]) else { return nil }
        self.bytes = bytes
        var position = 1
        while position < end {
            guard end - position >= Self.sectionHeadBytes else { return nil }
            let start = position + Self.sectionHeadBytes
            let length = Self.number(bytes[(position + 2)..<start])
            guard length <= UInt64(end - start), places[bytes[position]] == nil else { return nil }
            places[bytes[position]] = (bytes[position + 1], start..<(start + Int(length)))
            position = start + Int(length)
        }
    }

    mutating func write(_ section: StateSection, _ transfer: (inout StateCoder) -> Void) {
        bytes.append(contentsOf: [section.rawValue, section.version, 0, 0, 0, 0])
        let start = bytes.count
        var coder = StateCoder(writingAfter: bytes)
        // Only the coder holds them, or its first write would copy them.
        bytes = []
        transfer(&coder)
        bytes = coder.bytes
        let length = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[start - 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    }

    /// The bytes with their checksum, when all sections are written; the container is empty then.
    mutating func finish() -> [UInt8] {
        LogSegment.append(UInt32(Self.checksum(bytes, count: bytes.count)), to: &bytes)
        defer { bytes = [] }
        return bytes
    }

    /// True if a section is there, of whatever version.
    func has(_ section: StateSection) -> Bool { places[section.rawValue] != nil }

    /// Reads a section; false where it is not there, of another version, or holds what it cannot hold.
    func read(_ section: StateSection, _ transfer: (inout StateCoder) -> Void) -> Bool {
        guard let place = places[section.rawValue], place.version == section.version else { return false }
        var coder = StateCoder(reading: bytes, range: place.range)
        transfer(&coder)
        return !coder.isInvalid && coder.isAtEnd
    }

    private static func checksum(_ bytes: [UInt8], count: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<count]))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension StateContainer {
    /// A state of another store, for a log that has nothing of the device yet; bytes that are no state stay as they are.
    static func movingToAnotherLog(_ state: [UInt8]) -> [UInt8] {
        guard let old = StateContainer(reading: state) else { return state }
        var new = StateContainer()
        for (number, place) in old.places.sorted(by: { $0.key < $1.key })
        where number != StateSection.logPosition.rawValue {
            let length = UInt32(place.range.count)
            new.bytes += [number, place.version] + (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(8 * $0)) }
            new.bytes += old.bytes[place.range]
        }
        var position: UInt64 = 0
        new.write(.logPosition) { $0.code(&position) }
        return new.finish()
    }
}

/// A part of a device's state that is written, versioned and read by itself.
///
/// A counter takes up what it can read and begins the rest anew, so that a program one version older or newer goes on
/// with the same frames known as counted. Numbers are never used again for something else.
enum StateSection: UInt8, CaseIterable {
    /// The messages that have come, and the reported totals. Without it every frame might have been counted before.
    case identity = 1
    /// Its time, the numbers of a device that counts by itself, the last reports, and what stands in for the signal.
    case counts = 2
    /// The samples that are being counted, where there are any.
    case signal = 3
    /// The place in the log of the last record that the state follows from.
    case logPosition = 4

    /// The layout of the section's fields; raised with any change of it.
    var version: UInt8 { self == .counts ? 2 : 1 }
}
