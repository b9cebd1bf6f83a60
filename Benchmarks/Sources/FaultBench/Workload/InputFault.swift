import Seeded
import Wire

/// What happens to the frames before they reach the broker.
enum InputFault: String, CaseIterable, Sendable {
    case twice = "every frame twice"
    case shuffled = "frames shuffled within 10 s"
    case thinned = "30 % of frames lost before the broker"
    case lateBurst = "frames of two hours ago in one burst"
    case sequenceReset = "sequence starts again without a new boot"
    case clockAhead = "clocks an hour ahead"
    case clockBehind = "clocks an hour behind"
    case clockJumps = "clocks that jump by an hour and back"
    case fastDevice = "devices of 400 Hz beside others"
    case besideGarbage = "a device that sends garbage 5,000 times a second beside 100 good ones"

    /// How far frames are moved, in microseconds of their own time.
    static let shuffleMicroseconds = 10_000_000
    /// The share of frames that never come.
    static let lossShare = 0.3
    /// How late the burst is, in microseconds.
    static let lateMicroseconds: Int64 = 7_200_000_000
    /// How wrong a clock is, in microseconds.
    static let clockMicroseconds: Int64 = 3_600_000_000
    /// Messages a second of the device that sends garbage.
    static let garbagePerSecond = 5_000
    /// The rate of the fast devices, in Hz.
    static let fastRateHz = 400.0

    /// The length of frames whose clocks are wrong, in seconds: they are sent as they are made, because the counter
    /// compares their time with their arrival, and no clock is wrong for long enough to be believed.
    static let clockSeconds = 45

    /// Whether the frames are sent as fast as they are made, and no faster.
    var isInRealTime: Bool {
        switch self {
        case .clockAhead, .clockBehind, .clockJumps: true
        default: false
        }
    }

    /// The frames that it is tried on, where the usual ones will not do.
    func workload(usual: Workload, seed: UInt64) -> Workload {
        switch self {
        case .clockAhead, .clockBehind, .clockJumps:
            return Workload(bikes: 3, walkers: 3, seconds: Self.clockSeconds, seed: seed, beginsNow: true)
        case .besideGarbage: return Workload(bikes: 50, walkers: 50, seconds: 60, seed: seed)
        case .fastDevice:
            let fast = Workload(
                bikes: 1, walkers: 1, seconds: usual.seconds / 2, seed: seed, rateHz: Self.fastRateHz, prefix: "fast-")
            return usual.joined(with: fast)
        default: return usual
        }
    }

    /// What is sent, and what is to be counted: the same frames as they were before the fault, unless it takes some
    /// away.
    func applied(to items: [Workload.Item], seed: UInt64) -> InputCase {
        var random = SeededGenerator(seed: seed, stream: 0xfa17)
        switch self {
        case .twice: return InputCase(sent: items.flatMap { [$0, $0] }, counted: items)
        case .besideGarbage, .fastDevice: return InputCase(sent: items, counted: items)
        case .thinned:
            // The last frames come, so that every gap has an end.
            let last = items.count - 20
            let kept = items.enumerated().filter {
                $0.offset >= last || Double.random(in: 0..<1, using: &random) >= Self.lossShare
            }.map(\.element)
            return InputCase(sent: kept, counted: kept)
        case .shuffled:
            let moved = items.map { item in
                var copy = item
                copy.due += Int64(Double.random(in: 0...Double(Self.shuffleMicroseconds), using: &random))
                return copy
            }
            return InputCase(sent: moved.sorted { $0.due < $1.due }, counted: items)
        case .lateBurst: return lateBurst(items)
        case .sequenceReset: return sequenceReset(items)
        case .clockAhead, .clockBehind, .clockJumps: return wrongClocks(items)
        }
    }
}

/// Frames as they are sent, and as they should be counted.
struct InputCase: Sendable {
    /// The frames in the order in which they are sent.
    var sent: [Workload.Item]
    /// The frames whose uninterrupted count is the truth.
    var counted: [Workload.Item]
    /// Whether the frames' minutes are those of their arrival, because no clock is to be believed.
    var goesByArrival = false
}

// MARK: - Faults of time and number

extension InputFault {
    /// Every second device was away for two hours; then all it has comes at once, while the others go on.
    private func lateBurst(_ items: [Workload.Item]) -> InputCase {
        let affected = Self.everySecondDevice(items)
        let last = items.last?.due ?? 0
        let old = items.map { affected.contains($0.device) ? $0.timed(by: -Self.lateMicroseconds) : $0 }
        let sent = old.map { item in
            var copy = item
            if affected.contains(item.device) { copy.due = last }
            return copy
        }
        return InputCase(sent: Self.inOrder(sent), counted: old)
    }

    /// In the middle every device numbers its frames from 0 again, in the same boot.
    private func sequenceReset(_ items: [Workload.Item]) -> InputCase {
        let middle = Self.instant(items, share: 0.5)
        var next: [DeviceID: UInt64] = [:]
        let sent = items.map { item in
            guard item.due >= middle else { return item }
            defer { next[item.device, default: 0] += 1 }
            return item.numbered(next[item.device] ?? 0)
        }
        return InputCase(sent: sent, counted: items)
    }

    /// A clock that is behind is believed, because frames may be late; one that is ahead is not, and then the arrival
    /// tells the minutes; a jump is not followed at once, and changes nothing.
    private func wrongClocks(_ items: [Workload.Item]) -> InputCase {
        let affected = Self.everySecondDevice(items)
        let (ahead, behind) = (Self.instant(items, share: 0.5), Self.instant(items, share: 0.6))
        let right = Self.instant(items, share: 0.7)
        let sent = items.map { item in
            guard affected.contains(item.device) else { return item }
            switch self {
            case .clockAhead: return item.timed(by: Self.clockMicroseconds)
            case .clockBehind: return item.timed(by: -Self.clockMicroseconds)
            default:
                if item.due < ahead || item.due >= right { return item }
                return item.timed(by: item.due < behind ? Self.clockMicroseconds : -Self.clockMicroseconds)
            }
        }
        return InputCase(
            sent: sent, counted: self == .clockJumps ? items : sent, goesByArrival: self == .clockAhead)
    }

    private static func everySecondDevice(_ items: [Workload.Item]) -> Set<DeviceID> {
        let devices = Set(items.map(\.device)).sorted()
        return Set(devices.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element))
    }

    private static func instant(_ items: [Workload.Item], share: Double) -> Int64 {
        guard let first = items.first?.due, let last = items.last?.due else { return 0 }
        return first + Int64(Double(last - first) * share)
    }

    /// By the instant of sending, and as they were where that is the same.
    private static func inOrder(_ items: [Workload.Item]) -> [Workload.Item] {
        items.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    }
}
