import Motion
import Wire

/// A state as bytes: the layout's version, each section as number, version, length and fields, and a checksum over all
/// (CRC-32C).
extension DeviceCounter {
    static let maximumStateBytes = 2 * FrameSequence.maximumWaitingBytes + 65_536
    private static let layoutVersion: UInt8 = 4
    private static let checksumBytes = 4
    /// The usual size of a state, in bytes: one allocation for each state of a commit.
    private static let usualStateBytes = 8_192

    func encodedState() -> [UInt8] {
        var (coder, copy, layout) = (ByteCoder(capacity: Self.usualStateBytes), self, Self.layoutVersion)
        coder.code(bits: &layout)
        for section in StateSection.allCases where section != .signal || hasSignal {
            var (number, version) = (section.rawValue, section.version)
            coder.code(bits: &number)
            coder.code(bits: &version)
            _ = coder.code(apart: { copy.transfer(section, &$0) })
        }
        var checksum = coder.bytes.withUnsafeBytes { Checksum.of($0) }
        coder.code(bits: &checksum)
        return coder.bytes
    }

    /// Takes a state back; `nil` where the bytes are not one. A section that cannot be read starts as for a new device, one
    /// that is not known is passed over. Fields outside the state start as after a pause in listening.
    init?(device: DeviceID, settings: DeviceSettings, state: [UInt8]) {
        self.init(device: device, settings: settings)
        let isState = state.withUnsafeBytes { bytes in
            guard bytes.count > Self.checksumBytes, bytes.count <= Self.maximumStateBytes else { return false }
            let end = bytes.count - Self.checksumBytes
            let content = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            let checksum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
            guard Checksum.of(content) == checksum else { return false }
            return read(content)
        }
        guard isState else { return nil }
        if silence != .settled { reports.repeatAfterRestart() }
        health.forgetPast(sequence.counts, selfCounting, live.diagnostics)
    }

    /// Reads the sections; false where the one is missing without which every frame might have been counted before.
    private mutating func read(_ content: UnsafeRawBufferPointer) -> Bool {
        var (coder, layout) = (ByteCoder(reading: content), UInt8(0))
        coder.code(bits: &layout)
        guard layout == Self.layoutVersion else { return false }
        var known: Set<StateSection> = []
        while !coder.isAtEnd {
            var (number, version, copy) = (UInt8(0), UInt8(0), self)
            coder.code(bits: &number)
            coder.code(bits: &version)
            let section = StateSection(rawValue: number)
            let isRead = coder.code(apart: { part in
                guard let section, section.version == version else { return part.reject() }
                copy.transfer(section, &part)
            })
            guard !coder.isInvalid, isRead || section != .identity else { return false }
            guard let section else { continue }
            known.insert(section)
            if isRead { self = copy } else { sectionsBegunAnew += 1 }
        }
        if !known.contains(.counts) { sectionsBegunAnew += 1 }
        return known.contains(.identity)
    }

    private mutating func transfer(_ section: StateSection, _ coder: inout ByteCoder) {
        switch section {
        case .identity:
            sequence.transfer(&coder, device: device)
            reports.transferTotals(&coder)
            var isSettled = silence == .settled
            coder.code(&isSettled)
            if isSettled { silence = .settled }
        case .counts:
            var counting = selfCounting
            counting.transfer(&coder)
            if coder.isReading, counting != selfCounting { selfCounting = counting }
            readings.transfer(&coder)
            recordedTime.transfer(&coder)
            live.transferTime(&coder)
            reports.transfer(&coder)
            coder.code(&messagePeriod)
            health.transfer(&coder)
            stepRate.transfer(&coder)
            lateStepRate.transfer(&coder)
            told.transfer(&coder)
            lateTold.transfer(&coder)
            transferFloors(&coder)
            transferStandIn(&coder)
        case .signal:
            live.transferSignal(&coder)
            coder.code(array: &lateStreams, maximum: 1, empty: SampleStream()) {
                $1.transferTime(&$0)
                $1.transferSignal(&$0)
            }
        }
    }

    private mutating func transferStandIn(_ coder: inout ByteCoder) {
        reports.transferAhead(&coder)
        let empty = MinuteIncrement(device: device, minute: 0)
        coder.code(array: &standIn, maximum: Self.maximumStandIns, empty: empty) { $1.transferSums(&$0) }
        coder.code(&standInEndsAt)
    }

    private mutating func transferFloors(_ coder: inout ByteCoder) {
        var bytes: [UInt8] = []
        if !coder.isReading { floors.save(into: &bytes) }
        coder.code(blob: &bytes, maximum: FloorCounter.maximumStateBytes)
        guard coder.isReading else { return }
        if let restored = try? FloorCounter(restoring: bytes) { floors = restored } else { coder.reject() }
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

    /// The layout of the section's fields; raised with any change of it.
    var version: UInt8 { self == .counts ? 3 : 1 }
}

/// The numbers of a device's state. One outside its bounds is clamped when it is written, and makes the state invalid when it
/// is read: every saved state can be restored.
extension ByteCoder {
    /// The largest magnitude of a number in a state: its square is a finite `Float`.
    private static let largestNumber: Float = 1e13
    /// The largest counter in a state: it does not overflow in the life of a process.
    private static let largestCount = UInt64(1) << 62
    /// The largest magnitude of a time or a sum. Sums and differences of values within it cannot overflow.
    static let largestSum = Int64(1) << 55

    mutating func code(_ value: inout UInt64) {
        value = min(value, Self.largestCount)
        code(bits: &value)
        if value > Self.largestCount { reject() }
        value = min(value, Self.largestCount)
    }

    /// A time or a sum.
    mutating func code(_ value: inout Int64) { code(&value, orNone: 0) }

    /// A time or a sum, or one of the extremes where that stands for "none yet".
    mutating func code(_ value: inout Int64, orNone none: Int64) {
        let limit = Self.largestSum
        if value != none { value = min(max(value, -limit), limit) }
        code(bits: &value)
        guard value != none, value.magnitude > limit.magnitude else { return }
        value = 0
        reject()
    }

    mutating func code(_ value: inout Int64?) {
        code(optional: &value, empty: 0) { $0.code(&$1) }
    }

    mutating func code(_ quantity: inout Quantity) {
        var value = quantity.value
        code(&value)
        quantity = Quantity(value)
    }

    mutating func code(_ value: inout Float) {
        var bits = (value.isNaN ? 0 : min(max(value, -Self.largestNumber), Self.largestNumber)).bitPattern
        code(bits: &bits)
        value = Float(bitPattern: bits)
        guard !(-Self.largestNumber...Self.largestNumber).contains(value) else { return }
        value = 0
        reject()
    }

    /// The ranges of a set, up to a limit. Ranges that are empty, overlap or are out of order are not what was written.
    mutating func code(_ set: inout RangeSet<UInt64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    /// The same of times.
    mutating func code(_ set: inout RangeSet<Int64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    private mutating func code<Bound: FixedWidthInteger>(
        _ set: inout RangeSet<Bound>, maximum: Int, bound: (inout ByteCoder, inout Bound) -> Void
    ) {
        var ranges = Array(set.ranges)
        code(array: &ranges, maximum: maximum, empty: 0..<0) { coder, range in
            var (lower, upper) = (range.lowerBound, range.upperBound)
            bound(&coder, &lower)
            bound(&coder, &upper)
            if lower < upper { range = lower..<upper } else { coder.reject() }
        }
        guard isReading else { return }
        set = RangeSet(ranges)
        if Array(set.ranges) != ranges { reject() }
    }
}
