import Seeded
import Wire

/// A device that sends a planned day: its messages are made before the run, and with them what is true.
struct SimulatedSender {
    let device: DeviceID
    let kind: SenderKind
    /// The messages in the order in which they were made.
    let planned: [Planned]
    /// In which order they are sent: mostly that in which they were made.
    let order: [Int]
    let truth: Truth
    var publisher = SimulatedPublisher()
    var sent = 0

    /// What one message is.
    struct Planned {
        var key: MessageKey
        /// When the device has it to send, in microseconds since 1970.
        var due: Int64
        var topic: SimulatedTopic
        var payload: [UInt8]
        /// What it says, where that does not hang on when it comes.
        var record: MotionRecord?
    }

    /// What is known of the counts of a device without counting.
    enum Truth {
        /// Every minute: that of its records in an uninterrupted run.
        case minutes
        /// The sums of all minutes, as far as they are planned.
        case sums(Sums)
        /// Nothing but what the counter's log says.
        case log
    }

    /// The sums of all minutes.
    struct Sums: Equatable {
        var steps: Int64?
        var revolutions: Int64?
        var coveredMilliseconds: Int64?
    }

    var nextDue: Int64? { sent < order.count ? planned[order[sent]].due : nil }
    /// Whether some of what it sends may be refused.
    var isStrange: Bool { [.extremeCounts, .extremeFrames, .junk, .foreignForms, .rider].contains(kind) }
    /// Whether an operator may say what it is: that changes what of it is counted.
    var mayChangeKind: Bool { if case .log = truth { true } else { false } }

    init(_ kind: SenderKind, device: DeviceID, _ plan: SenderPlan, order: [Int]? = nil) {
        (self.device, self.kind, planned, truth) = (device, kind, plan.messages, plan.truth)
        self.order = order ?? Array(planned.indices)
    }

    /// A device of a kind with messages planned from an instant on.
    init(_ kind: SenderKind, device: DeviceID, start: Int64, random: inout SeededGenerator) {
        var plan = SenderPlan(device: device, time: start + Int64(random.below(3_000_000)))
        kind.fill(&plan, &random)
        let isShuffled = kind == .still && random.chance(0.3)
        self.init(kind, device: device, plan, order: isShuffled ? Self.shuffled(plan.messages, &random) : nil)
    }

    /// Some messages are overtaken by the next of their boot.
    private static func shuffled(_ planned: [Planned], _ random: inout SeededGenerator) -> [Int] {
        var order = Array(planned.indices)
        var index = 0
        while index + 3 < order.count {
            if planned[index].boot == planned[index + 1].boot, random.chance(0.3) {
                order.swapAt(index, index + 1)
                index += 1
            }
            index += 1
        }
        return order
    }

    /// The next message to send.
    mutating func takeNext() -> Planned {
        defer { sent += 1 }
        return planned[order[sent]]
    }
}

extension SimulatedSender.Planned {
    private var identity: FrameIdentity? {
        switch record?.content {
        case .frame(let frame): frame.identity
        case .revolutions(let count): count.identity
        default: nil
        }
    }

    /// The life of the device and the message's number in it, where it says them.
    var boot: UInt64? { if case .sequenced(let boot, _) = identity { boot.rawValue } else { nil } }
    var sequence: UInt64? { if case .sequenced(_, let sequence) = identity { sequence } else { nil } }
}

/// The messages of a device while they are made.
struct SenderPlan {
    let device: DeviceID
    /// The device's clock, in microseconds since 1970.
    var time: Int64
    var messages: [SimulatedSender.Planned] = []
    var truth = SimulatedSender.Truth.minutes

    /// The time in seconds since 1970, as a JSON number.
    var seconds: String { String(Double(time) / 1e6) }

    /// Adds a message that is sent now.
    mutating func send(_ payload: [UInt8], on channel: DeviceChannel, saying content: MotionContent? = nil) {
        send(payload, to: .raw(device, channel), saying: content)
    }

    mutating func send(_ payload: [UInt8], to topic: SimulatedTopic, saying content: MotionContent? = nil) {
        messages.append(
            .init(
                key: MessageKey(device: device, number: messages.count), due: time, topic: topic, payload: payload,
                record: content.map { MotionRecord(device: device, arrivalMicroseconds: time, content: $0) }))
    }

    mutating func send(_ text: String, on channel: DeviceChannel = .count) {
        send(Array(text.utf8), on: channel)
    }

    /// Adds the last message once more.
    mutating func repeatLast() {
        guard let last = messages.last else { return }
        send(last.payload, to: last.topic)
    }

    mutating func pass(seconds: Double) { time += Int64(seconds * 1e6) }
}
