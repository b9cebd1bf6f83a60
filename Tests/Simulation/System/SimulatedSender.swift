import Seeded
import Wire

/// A device that sends a planned day: its messages, made before the run, are the ledger of the truth.
struct SimulatedSender {
    /// What one message is.
    struct Planned {
        var key: MessageKey
        /// When the device has it to send, in microseconds since 1970.
        var due: Int64
        var record: MotionRecord
        var payload: [UInt8]
    }

    /// What kind of messages it sends.
    enum Kind: CaseIterable {
        /// Frames of a few samples without a gait: cheap, and their covered time counts every one of them.
        case still
        /// Frames of somebody who walks: their steps tell whether the signal's state survived.
        case walking
        /// A crank's running count.
        case crank
    }

    let device: DeviceID
    let kind: Kind
    /// The messages in the order of their numbers.
    let planned: [Planned]
    /// In which order they are sent: mostly that of their numbers.
    let order: [Int]
    var publisher = SimulatedPublisher()
    var sent = 0

    var channel: DeviceChannel { kind == .crank ? .rev : .imu }
    var nextDue: Int64? { sent < order.count ? planned[order[sent]].due : nil }

    /// A device with messages planned from an instant on; it may start anew in between.
    init(_ kind: Kind, index: Int, messages: Int, start: Int64, random: inout SeededGenerator) throws {
        device = try DeviceID("sender-\(index)")
        self.kind = kind
        var planned: [Planned] = []
        var (boot, sequence, time) = (random.next() >> 12, UInt64(0), start + Int64(random.below(3_000_000)))
        for number in 0..<messages {
            let length = kind == .walking ? SyntheticFrames.walkingMicroseconds : SyntheticFrames.stillMicroseconds
            let content = SyntheticFrames.content(kind, number: number, boot: boot, sequence: sequence, time: time)
            let record = MotionRecord(device: device, arrivalMicroseconds: time + length, content: content)
            planned.append(
                Planned(
                    key: MessageKey(device: device, boot: boot, sequence: sequence), due: time + length,
                    record: record, payload: SyntheticFrames.payload(of: content)))
            time += length
            sequence += 1
            if kind != .crank, number < messages - 4, random.chance(0.03) {
                (boot, sequence) = (boot + 1, 0)
                time += 7_000_000
            }
        }
        self.planned = planned
        order = kind == .still && random.chance(0.3) ? Self.shuffled(planned, &random) : Array(planned.indices)
    }

    /// Some messages are overtaken by the next of their boot.
    private static func shuffled(_ planned: [Planned], _ random: inout SeededGenerator) -> [Int] {
        var order = Array(planned.indices)
        var index = 0
        while index + 3 < order.count {
            if planned[index].key.boot == planned[index + 1].key.boot, random.chance(0.3) {
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
