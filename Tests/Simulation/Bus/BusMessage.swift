import Wire

/// A numbered message of a device: what the ledger of the truth counts by.
struct MessageKey: Hashable {
    var device: DeviceID
    var boot: UInt64
    var sequence: UInt64

    init(device: DeviceID, boot: UInt64, sequence: UInt64) {
        self.device = device
        self.boot = boot
        self.sequence = sequence
    }

    /// The key of a record; nil for one that no device numbered.
    init?(_ record: MotionRecord) {
        let identity: FrameIdentity
        switch record.content {
        case .frame(let frame): identity = frame.identity
        case .revolutions(let count): identity = count.identity
        default: return nil
        }
        guard case .sequenced(let boot, let sequence) = identity else { return nil }
        self.init(device: record.device, boot: boot.rawValue, sequence: sequence)
    }
}

/// The topics that matter here. A bus keeps the order within each, and in no two of them.
enum SimulatedTopic: Hashable {
    case raw(DeviceID, DeviceChannel)
    case motion(Partition)
    case config(DeviceID)
    case forget(Partition)
    case counts(Partition)
    case resend
    case counterOnline

    /// Whose session takes it.
    var reader: SimulatedReader {
        switch self {
        case .raw: .ingest
        case .motion, .resend, .config, .forget: .counter
        case .counts, .counterOnline: .history
        }
    }
}

/// The three persistent sessions.
enum SimulatedReader: Int, CaseIterable {
    case ingest, counter, history
}

/// A message on the bus.
struct BusMessage {
    var id: Int
    var topic: SimulatedTopic
    var payload: [UInt8]
    /// The device messages whose content it carries, by which a loss is named.
    var keys: [MessageKey] = []
}
