import Motion
import Wire

/// Decides for each frame of a device whether and when it is counted, so that each is counted once and in order.
///
/// A frame in order passes straight through. One that is ahead waits until those before it have come, within limits;
/// it is part of the state, because it is acknowledged. Then the missing ones are given up; if
/// one of them comes after all it is late, which is never a duplicate.
///
/// Numbers that begin again without a new boot are never guessed from a decrease. A frame below the expected number is
/// taken as new only if its own clock is ahead of all times of its boot, which a repeated frame's cannot
/// be. Without a clock it is stale: not counted, and reported on the device's health.
struct FrameSequence: Sendable, Equatable {
    static let maximumWaitingFrames = 64
    static let maximumWaitingBytes = 524_288
    /// The time that frames wait for a missing one, in microseconds.
    static let patienceMicroseconds: Int64 = 2_000_000
    /// The same on a device whose frames are known to come out of order.
    static let longPatienceMicroseconds: Int64 = 10_000_000
    static let maximumBoots = 8
    /// The highest number that a frame may have.
    static let maximumSequence: UInt64 = 1 << 62

    var counts = MessageCounts()
    /// The boots, the running one last.
    private(set) var boots: [BootSequence] = []
    private var waiting: [WaitingFrame] = []
    private var recent = RecentHashes()
    private var covered = CoveredTime()
    private var reorders = false
    /// From uptime to UTC for frames that name no boot.
    private var bootlessUptime = UptimeOffset()

    var waitingCount: Int { waiting.count }

    /// Whether a frame begins a new boot or a new run of numbers: then nothing that waits can still be completed, and
    /// the caller takes all of it before this frame is admitted.
    func endsWaiting(_ frame: Frame) -> Bool {
        guard !waiting.isEmpty, case .sequenced(let boot, let sequence) = frame.identity else { return false }
        guard let index = boots.lastIndex(where: { $0.boot == boot }) else { return true }
        return index == boots.count - 1 && boots[index].beginsAnew(sequence, frame)
    }

    /// Decides about a frame, after `endsWaiting`.
    mutating func admit(_ record: MotionRecord, _ frame: Frame) -> FrameVerdict {
        let verdict: FrameVerdict =
            switch frame.identity {
            case .sequenced(let boot, let sequence): admit(record, frame, boot: boot, sequence: sequence)
            case .unsequenced(let hash):
                isNew(hash, frame, record.arrivalMicroseconds) ? .inOrder : .duplicate
            }
        switch verdict {
        case .inOrder: counts.accepted &+= 1
        case .late: counts.late &+= 1
        case .duplicate: counts.duplicate &+= 1
        case .stale: counts.stale &+= 1
        case .waits: break
        }
        return verdict
    }

    /// Whether a frame without a number is new, by the hash of its content, and by its time where it has one.
    private mutating func isNew(_ hash: UInt64, _ frame: Frame, _ arrival: Int64) -> Bool {
        guard !recent.contains(hash, frame.time) else { return false }
        if case .utc(let time) = frame.time, ClockLimits.allows(time, arrival: arrival), !frame.sensors.isEmpty {
            guard covered.take(time, duration: frame.durationMicroseconds, arrival: arrival) else { return false }
        }
        recent.insert(hash, frame.time)
        return true
    }

    /// The next frame that waits no longer: its turn has come, or those before it are given up. `isSilent` gives up at
    /// once, otherwise patience is measured from the oldest waiting frame's arrival to `arrival`.
    mutating func nextReady(arrival: Int64, isSilent: Bool = false) -> MotionRecord? {
        guard let first = waiting.first, let running = boots.indices.last else { return nil }
        guard first.sequence == boots[running].next || isSilent || isImpatient(arrival: arrival) else { return nil }
        waiting.removeFirst()
        counts.missing &+= boots[running].advance(to: first.sequence)
        counts.accepted &+= 1
        return first.record
    }

    /// The offset between the uptime and the UTC of a boot; of the newest one without a boot.
    mutating func utc(
        ofUptime uptime: Int64, boot: BootID?, duration: Int64, arrival: Int64, isLate: Bool = false
    ) -> Int64 {
        guard let index = boots.lastIndex(where: { $0.boot == boot }) else {
            return bootlessUptime.utc(
                of: uptime, duration: duration, arrival: arrival, restart: UptimeOffset.restartMicroseconds)
        }
        // The next frame in order is later: an uptime that fell wrapped, or the device began anew.
        let restart = isLate ? UptimeOffset.wrapMicroseconds : ClockLimits.jitterMicroseconds
        return boots[index].uptime.utc(of: uptime, duration: duration, arrival: arrival, restart: restart)
    }

    private func isImpatient(arrival: Int64) -> Bool {
        if waiting.count > Self.maximumWaitingFrames { return true }
        if waiting.reduce(0, { $0 + $1.byteCount }) > Self.maximumWaitingBytes { return true }
        let oldest = waiting.reduce(Int64.max) { min($0, $1.record.arrivalMicroseconds) }
        let patience = reorders ? Self.longPatienceMicroseconds : Self.patienceMicroseconds
        return arrival.subtractingReportingOverflow(oldest).partialValue > patience
    }
}

// MARK: - Frames with a number

extension FrameSequence {
    private mutating func admit(
        _ record: MotionRecord, _ frame: Frame, boot: BootID, sequence: UInt64
    ) -> FrameVerdict {
        guard sequence < Self.maximumSequence else { return .stale }
        let time = frame.time
        let index = boots.lastIndex { $0.boot == boot } ?? remember(boot, firstSeen: sequence)
        let isRunning = index == boots.count - 1
        if boots[index].isBelowFloor(time) { return .stale }
        let verdict =
            if sequence < boots[index].next {
                admitEarlier(sequence, frame, at: index, isRunning: isRunning)
            } else if isRunning {
                admitAhead(record, sequence, at: index)
            } else {
                admitInterleaved(sequence, at: index)
            }
        if verdict != .duplicate, verdict != .stale { boots[index].note(sequence, frame) }
        return verdict
    }

    private mutating func admitAhead(_ record: MotionRecord, _ sequence: UInt64, at index: Int) -> FrameVerdict {
        if sequence == boots[index].next, waiting.isEmpty || waiting[0].sequence > sequence {
            boots[index].next += 1
            return .inOrder
        }
        let place = waiting.firstIndex { $0.sequence >= sequence } ?? waiting.count
        if place < waiting.count, waiting[place].sequence == sequence { return .duplicate }
        waiting.insert(WaitingFrame(sequence: sequence, record: record), at: place)
        return .waits
    }

    private mutating func admitEarlier(
        _ sequence: UInt64, _ frame: Frame, at index: Int, isRunning: Bool
    ) -> FrameVerdict {
        if isRunning, boots[index].beginsAnew(sequence, frame) {
            if !boots[index].isWrap(to: sequence) { counts.restarts &+= 1 }
            boots[index].restart(after: sequence, keepsTime: boots[index].isProvenNew(frame.time))
            return .inOrder
        }
        guard boots[index].gaps.remove(sequence) else {
            return sequence < boots[index].gaps.forgottenBelow ? .stale : .duplicate
        }
        if sequence >= boots[index].first, counts.missing > 0 { counts.missing -= 1 }
        let distance = boots[index].next - sequence
        if isRunning, distance <= UInt64(Self.maximumWaitingFrames) { reorders = true }
        return .late
    }

    /// A boot that has been followed by another goes on: its last frames come late, or two devices use one id.
    private mutating func admitInterleaved(_ sequence: UInt64, at index: Int) -> FrameVerdict {
        counts.missing &+= boots[index].advance(to: sequence)
        counts.interleaved &+= 1
        return .late
    }

    private mutating func remember(_ boot: BootID, firstSeen: UInt64) -> Int {
        if boots.count == Self.maximumBoots { boots.removeFirst() }
        boots.append(BootSequence(boot: boot, firstSeen: firstSeen))
        return boots.count - 1
    }
}

extension FrameSequence {
    mutating func transfer(_ coder: inout ByteCoder, device: DeviceID) {
        counts.transfer(&coder)
        coder.code(
            array: &boots, maximum: Self.maximumBoots, empty: BootSequence(boot: BootID(rawValue: 0), firstSeen: 0)
        ) {
            $1.transfer(&$0)
        }
        transferWaiting(&coder, device: device)
        recent.transfer(&coder)
        coder.code(&reorders)
        bootlessUptime.transfer(&coder)
        covered.transfer(&coder)
    }

    private mutating func transferWaiting(_ coder: inout ByteCoder, device: DeviceID) {
        let empty = MotionRecord(device: device, arrivalMicroseconds: 0, content: .frame(Frame()))
        coder.code(
            array: &waiting, maximum: Self.maximumWaitingFrames + 1, empty: WaitingFrame(sequence: 0, record: empty)
        ) { coder, frame in
            coder.code(bits: &frame.sequence)
            frame.record.code(&coder)
        }
        guard coder.isReading else { return }
        var lowest = boots.last?.next ?? .max
        for frame in waiting {
            guard (lowest..<max(lowest, Self.maximumSequence)).contains(frame.sequence), frame.record.device == device,
                frame.record.isWithinBounds, frame.record.withoutAbsurdTime == nil, case .frame = frame.record.content
            else { return coder.reject() }
            lowest = frame.sequence + 1
        }
    }
}

enum FrameVerdict: Sendable, Equatable {
    /// The next of the running boot: count it now.
    case inOrder
    /// Frames before it have not come: it is kept until they have, or until they are given up.
    case waits
    /// Seen before.
    case duplicate
    /// Not seen before, but frames after it have been counted: count it beside them.
    case late
    /// It may have been counted: its number is too old, and its time is no newer.
    case stale
}

/// The fate of a device's messages since it was first seen. Each message is in exactly one of `accepted`,
/// `duplicate`, `late`, `stale` and `refused`, or still waits.
package struct MessageCounts: Sendable, Equatable {
    /// Counted in order.
    package var accepted: UInt64 = 0
    /// Seen before, not counted again.
    package var duplicate: UInt64 = 0
    /// Counted after later ones.
    package var late: UInt64 = 0
    /// Not counted: they may have been counted before.
    package var stale: UInt64 = 0
    /// Numbers that never came so far.
    package var missing: UInt64 = 0
    /// Times that the numbers began again within a boot.
    package var restarts: UInt64 = 0
    /// Messages of a boot that went on after a newer boot had begun.
    package var interleaved: UInt64 = 0

    package init() {}

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&accepted)
        coder.code(&duplicate)
        coder.code(&late)
        coder.code(&stale)
        coder.code(&missing)
        coder.code(&restarts)
        coder.code(&interleaved)
    }
}

/// The hashes of the last messages that have no number: a bounded ring, searched from the newest.
struct RecentHashes: Sendable, Equatable {
    /// As many as a broker delivers again when ingest has died.
    static let maximumCount = 2_048

    private var hashes: [UInt64] = []
    private var next: UInt64 = 0

    func contains(_ contentHash: UInt64, _ time: FrameTime) -> Bool { hashes.contains(Self.hash(contentHash, time)) }

    mutating func insert(_ contentHash: UInt64, _ time: FrameTime) {
        let hash = Self.hash(contentHash, time)
        if hashes.count < Self.maximumCount {
            hashes.append(hash)
        } else {
            hashes[Int(next % UInt64(hashes.count))] = hash
            next &+= 1
        }
    }

    private static func hash(_ contentHash: UInt64, _ time: FrameTime) -> UInt64 {
        switch time {
        case .utc(let microseconds), .uptime(let microseconds):
            contentHash ^ (UInt64(bitPattern: microseconds) &* 31)
        case .absent: contentHash
        }
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(array: &hashes, maximum: Self.maximumCount, empty: 0) { $0.code(bits: &$1) }
        coder.code(&next)
    }
}

/// A frame that came before one with a lower number, and waits for it.
struct WaitingFrame: Sendable, Equatable {
    var sequence: UInt64
    var record: MotionRecord

    var byteCount: Int {
        guard case .frame(let frame) = record.content else { return 64 }
        return 64 + 4 * (frame.values.count + frame.intervalsMicroseconds.count + frame.pressuresHectopascals.count)
    }
}
