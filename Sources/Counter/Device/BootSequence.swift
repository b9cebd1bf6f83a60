import Motion
import Wire

/// The frames of one boot of a device that have come.
struct BootSequence: Sendable, Equatable {
    var boot: BootID
    /// One above the highest number that has come or was given up.
    var next: UInt64
    /// The lowest number that was expected at all; frames below it may come late but were never missing.
    var first: UInt64
    /// The numbers below `next` that have not come.
    var gaps = SequenceGaps()
    /// The newest UTC, in microseconds, that a frame of this boot carried.
    var newestUTC: Int64?
    /// The newest uptime, in microseconds, that a frame of this boot carried.
    var newestUptime: Int64?
    /// The newest UTC before the sequence last started again within the boot: frames up to it are of the older run.
    var floorUTC: Int64?
    /// The newest uptime before the sequence last started again.
    var floorUptime: Int64?
    /// From the device's uptime to UTC.
    var uptime = UptimeOffset()
    /// The first frames of a run that carries uptimes, as hashes of their content: a device that begins anew under the
    /// same boot sends the same numbers with other content.
    private var opening: [UInt64: UInt64] = [:]

    /// The frames of a run that are remembered so: those numbered below this.
    private static let openingFrames: UInt64 = 8
    /// A run that was joined late began anew if one of its first numbers comes with an uptime so much lower, in
    /// microseconds.
    private static let muchLowerMicroseconds: Int64 = 300_000_000

    /// A boot that is seen for the first time, with a frame of this number. A low number waits for those before it; a
    /// high one means that the boot began before its first frame came here.
    init(boot: BootID, firstSeen: UInt64) {
        self.boot = boot
        let start = firstSeen < UInt64(FrameSequence.maximumWaitingFrames) ? 0 : firstSeen
        next = start
        first = start
        gaps.insert(0..<start)
    }

    /// Counters of devices that wrap: 8, 16 and 32 bits.
    static let wraps: [UInt64] = [1 << 8, 1 << 16, 1 << 32]

    /// Whether a frame's number begins a new run within the boot: it is below the expected one although the frame's
    /// time is newer than all before, or, on a device without a clock, right after a counter's wrap.
    func beginsAnew(_ sequence: UInt64, _ frame: Frame) -> Bool {
        guard sequence < next else { return false }
        let time = frame.time
        if uptimeBeginsAnew(sequence, frame) { return true }
        let isInWindow = next - sequence <= UInt64(FrameSequence.maximumWaitingFrames)
        if isInWindow, gaps.contains(sequence) { return false }
        return isProvenNew(time) || (time == .absent && isWrap(to: sequence))
    }

    /// Whether uptime and numbers both began again: no repeated frame has other content than the first with its number.
    private func uptimeBeginsAnew(_ sequence: UInt64, _ frame: Frame) -> Bool {
        guard sequence < Self.openingFrames, case .uptime(let uptime) = frame.time, let newestUptime,
            uptime < newestUptime
        else { return false }
        if let known = opening[sequence] { return known != Self.hash(frame) }
        return first > Self.openingFrames && newestUptime - uptime > Self.muchLowerMicroseconds
    }

    private static func hash(_ frame: Frame) -> UInt64 {
        var hash = StableHash()
        frame.values.withUnsafeBytes { hash.combine($0) }
        if case .uptime(let uptime) = frame.time {
            withUnsafeBytes(of: uptime.littleEndian) { hash.combine($0) }
        }
        return hash.value
    }

    /// Whether a counter that wraps goes on with this number.
    func isWrap(to sequence: UInt64) -> Bool { Self.isWrap(from: next, to: sequence) }

    static func isWrap(from next: UInt64, to sequence: UInt64) -> Bool {
        let margin = UInt64(FrameSequence.maximumWaitingFrames) / 2
        return sequence < margin && wraps.contains { next <= $0 && $0 - next < margin }
    }

    /// Whether a frame's own time is newer than any of this boot. A repeated frame repeats its time, so
    /// such a frame is new whatever its number.
    func isProvenNew(_ time: FrameTime) -> Bool {
        switch time {
        case .utc(let microseconds): newestUTC.map { microseconds > $0 } ?? false
        case .uptime(let microseconds): newestUptime.map { microseconds > $0 } ?? false
        case .absent: false
        }
    }

    /// Whether a frame's time is of the run before the sequence last started again.
    func isBelowFloor(_ time: FrameTime) -> Bool {
        switch time {
        case .utc(let microseconds): floorUTC.map { microseconds <= $0 } ?? false
        case .uptime(let microseconds): floorUptime.map { microseconds <= $0 } ?? false
        case .absent: false
        }
    }

    /// Takes the frame numbered `sequence`, at or above `next`; answers how many before it are given up.
    mutating func advance(to sequence: UInt64) -> UInt64 {
        let skipped = sequence - next
        gaps.insert(next..<sequence)
        next = sequence + 1
        return skipped
    }

    mutating func note(_ sequence: UInt64, _ frame: Frame) {
        if sequence < Self.openingFrames, case .uptime = frame.time { opening[sequence] = Self.hash(frame) }
        switch frame.time {
        case .utc(let microseconds): newestUTC = max(newestUTC ?? microseconds, microseconds)
        case .uptime(let microseconds): newestUptime = max(newestUptime ?? microseconds, microseconds)
        case .absent: break
        }
    }

    /// Starts the numbers again with the frame numbered `sequence`, within the same boot. Where the device's time goes
    /// on, what is older is of the run before.
    mutating func restart(after sequence: UInt64, keepsTime: Bool) {
        opening = [:]
        if !keepsTime { (newestUptime, uptime) = (nil, UptimeOffset()) }
        gaps = SequenceGaps()
        gaps.insert(0..<sequence)
        next = sequence + 1
        first = next
        floorUTC = newestUTC
        floorUptime = newestUptime
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&boot)
        coder.code(&next)
        coder.code(&first)
        gaps.transfer(&coder)
        coder.code(&newestUTC)
        coder.code(&newestUptime)
        coder.code(&floorUTC)
        coder.code(&floorUptime)
        uptime.transfer(&coder)
        if next > FrameSequence.maximumSequence || first > next { coder.reject() }
        transferOpening(&coder)
    }

    private mutating func transferOpening(_ coder: inout ByteCoder) {
        var frames = opening.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        coder.code(array: &frames, maximum: Int(Self.openingFrames), empty: (0, 0)) {
            $0.code(bits: &$1.0)
            $0.code(bits: &$1.1)
        }
        opening = Dictionary(frames) { first, _ in first }
    }
}

/// The sequence numbers below the newest that have not come.
///
/// With the next expected number it distinguishes seen from unseen for a whole boot, however far back, in little
/// space. When there are too many ranges the lowest is forgotten, and its numbers count as seen from then on.
struct SequenceGaps: Sendable, Equatable {
    static let maximumRanges = 128

    private var missing = RangeSet<UInt64>()
    /// Below this a range has been forgotten, so that a number there may not have come.
    private(set) var forgottenBelow: UInt64 = 0

    var rangeCount: Int { missing.ranges.count }

    func contains(_ sequence: UInt64) -> Bool { missing.contains(sequence) }

    mutating func insert(_ range: Range<UInt64>) {
        missing.insert(contentsOf: range)
        forgetSurplus()
    }

    /// Takes a number that has come out of its range; false if it was in none.
    mutating func remove(_ sequence: UInt64) -> Bool {
        guard missing.contains(sequence) else { return false }
        missing.remove(contentsOf: sequence..<sequence + 1)
        forgetSurplus()
        return true
    }

    private mutating func forgetSurplus() {
        guard rangeCount > Self.maximumRanges, let lowest = missing.ranges.first else { return }
        missing.remove(contentsOf: lowest)
        forgottenBelow = lowest.upperBound
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&missing, maximum: Self.maximumRanges)
        coder.code(&forgottenBelow)
    }
}

/// The lives of a device that counts itself, and the number of its newest message.
struct MessageOrder: Sendable, Equatable {
    /// Lives that are remembered, so that a message of one of them is known as old.
    static let maximumBoots = 8

    enum Age {
        case newer, older, repeated, olderBoot, newBoot
        /// The message has neither a boot nor a number, or its number may have wrapped.
        case unknown
    }

    /// The life that is under way; `nil` where messages name none.
    private(set) var boot: BootID?
    private var sequence: UInt64?
    private var pastBoots: [BootID] = []

    func age(boot: BootID?, sequence: UInt64?) -> Age {
        guard let boot, let current = self.boot else { return .unknown }
        guard boot == current else { return pastBoots.contains(boot) ? .olderBoot : .newBoot }
        guard let sequence, let newest = self.sequence else { return .unknown }
        if BootSequence.isWrap(from: newest, to: sequence) { return .unknown }
        return sequence == newest ? .repeated : sequence < newest ? .older : .newer
    }

    mutating func note(boot: BootID?, sequence: UInt64?) {
        if let old = self.boot, let boot, boot != old {
            if pastBoots.count == Self.maximumBoots { pastBoots.removeFirst() }
            pastBoots.append(old)
        }
        if boot != nil { self.boot = boot }
        self.sequence = sequence
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        let none = BootID(rawValue: 0)
        coder.code(optional: &boot, empty: none) { $0.code(&$1) }
        coder.code(optional: &sequence, empty: 0) { $0.code(bits: &$1) }
        coder.code(array: &pastBoots, maximum: Self.maximumBoots, empty: none) { $0.code(&$1) }
    }
}
