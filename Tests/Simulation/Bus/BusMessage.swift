import Wire

/// A message that a device sends, by its place in the device's plan: what the ledger of the truth counts by.
struct MessageKey: Hashable {
    var device: DeviceID
    var number: Int
}

/// The topics that matter here. A bus keeps the order within each, and in no two of them.
enum SimulatedTopic: Hashable {
    case raw(DeviceID, DeviceChannel)
    /// A topic of another system.
    case foreign(String)
    case motion
    case config(DeviceID)
    /// The same config, for history's session.
    case settings(DeviceID)
    case mark(DeviceID)
    case forget(Partition)
    case counts
    case resend
    case counterOnline
    /// One that the broker keeps for those who come later, and that no service reads.
    case retained([UInt8])

    /// Whose session takes it.
    var reader: SimulatedReader {
        switch self {
        case .raw, .foreign: .ingest
        case .motion, .resend, .config, .forget: .counter
        case .counts, .counterOnline, .settings, .mark, .retained: .history
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
