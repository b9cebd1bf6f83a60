import Seeded
import Wire

/// A broker as the brokers are that we know: at least once for each session, in order for each topic, with duplicates,
/// and with what a crash takes away.
struct SimulatedBus {
    /// What the broker keeps for one reader.
    struct Session {
        var exists = false
        var queue: [BusMessage] = []
        var inFlight: [BusMessage] = []
        /// What a broken connection left unacknowledged, where the broker sends that again later than what came since.
        var late: [BusMessage] = []

        /// All that the broker still has to deliver, in the order in which it would after a restart.
        var undelivered: [BusMessage] { inFlight + queue + late }
    }

    /// How a broker ends.
    enum Ending: CaseIterable {
        /// It saves everything: only the connections are gone.
        case orderly
        /// It comes back with what it had saved some time ago.
        case toSnapshot
        /// It comes back empty; the sessions are gone too.
        case toNothing
    }

    private(set) var sessions = [Session](repeating: Session(), count: SimulatedReader.allCases.count)
    /// Grows with every connection, so that an acknowledgement over an old one is known.
    private(set) var connections = [Int](repeating: 0, count: SimulatedReader.allCases.count)
    private(set) var isConnected = [Bool](repeating: false, count: SimulatedReader.allCases.count)
    /// Device messages of which the broker lost a copy by itself.
    private(set) var losses: Set<MessageKey> = []
    /// Whether it lost anything at all.
    private(set) var hasLost = false
    /// What is retained, by topic.
    private(set) var retained: [[UInt8]: [UInt8]] = [:]
    private var snapshot = [Session](repeating: Session(), count: SimulatedReader.allCases.count)
    /// Whether history is given again behind newer messages what it did not acknowledge, as some engines do.
    private let redeliversLate: Bool
    /// How often a delivery is the one before which these come again.
    private static let lateChance = 0.01

    init(redeliversLate: Bool) { self.redeliversLate = redeliversLate }

    /// Whether nothing is kept for anybody.
    var isEmpty: Bool { sessions.allSatisfy { $0.undelivered.isEmpty } }

    /// Connects a reader; its session begins where it has none.
    mutating func connect(_ reader: SimulatedReader) {
        let index = reader.rawValue
        disconnect(reader)
        sessions[index].exists = true
        connections[index] += 1
        isConnected[index] = true
    }

    /// The connection ends; what was not acknowledged is delivered again, first, or behind what came since.
    mutating func disconnect(_ reader: SimulatedReader) {
        let index = reader.rawValue
        isConnected[index] = false
        if redeliversLate, reader == .history {
            sessions[index].late += sessions[index].inFlight
        } else {
            sessions[index].queue = sessions[index].inFlight + sessions[index].queue
        }
        sessions[index].inFlight = []
    }

    /// Whether anybody has a session for a message, as MQTT 5 tells in the PUBACK.
    func hasSubscriber(of message: BusMessage) -> Bool { sessions[message.topic.reader.rawValue].exists }

    /// Takes a message over from a publisher.
    mutating func accept(_ message: BusMessage, copies: Int) {
        if case .retained(let topic) = message.topic {
            return retained[topic] = message.payload.isEmpty ? nil : message.payload
        }
        let index = message.topic.reader.rawValue
        guard sessions[index].exists else { return lose([message]) }
        for _ in 0..<copies { sessions[index].queue.append(message) }
    }

    /// Hands the first message of any topic to a reader.
    mutating func deliver(to reader: SimulatedReader, random: inout SeededGenerator) -> BusMessage? {
        let index = reader.rawValue
        guard isConnected[index] else { return nil }
        if !sessions[index].late.isEmpty, random.chance(Self.lateChance) {
            sessions[index].queue += sessions[index].late
            sessions[index].late = []
        }
        guard !sessions[index].queue.isEmpty else { return nil }
        let topic = sessions[index].queue[random.below(sessions[index].queue.count)].topic
        guard let first = sessions[index].queue.firstIndex(where: { $0.topic == topic }) else { return nil }
        let message = sessions[index].queue.remove(at: first)
        sessions[index].inFlight.append(message)
        return message
    }

    /// Takes acknowledgements; those over an earlier connection say nothing.
    mutating func acknowledge(_ count: Int, by reader: SimulatedReader, over connection: Int) {
        let index = reader.rawValue
        guard isConnected[index], connections[index] == connection else { return }
        sessions[index].inFlight.removeFirst(min(count, sessions[index].inFlight.count))
    }

    /// Saves what a later crash may fall back to.
    mutating func save() {
        snapshot = sessions.map { Session(exists: $0.exists, queue: $0.undelivered) }
    }

    /// Ends and starts again: no connection survives.
    mutating func crash(_ ending: Ending) {
        for reader in SimulatedReader.allCases { disconnect(reader) }
        switch ending {
        case .orderly: break
        case .toSnapshot: fall(back: snapshot)
        case .toNothing: fall(back: [Session](repeating: Session(), count: sessions.count))
        }
        save()
    }

    private mutating func fall(back saved: [Session]) {
        for index in sessions.indices {
            let kept = Set(saved[index].queue.map(\.id))
            lose(sessions[index].undelivered.filter { !kept.contains($0.id) })
        }
        sessions = saved
    }

    private mutating func lose(_ messages: [BusMessage]) {
        guard !messages.isEmpty else { return }
        hasLost = true
        for message in messages { losses.formUnion(message.keys) }
    }
}

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

/// A connection that publishes: what the client still has to repeat after a break, in order.
struct SimulatedPublisher {
    /// Published, and not yet known to be taken by the broker.
    private(set) var outgoing: [BusMessage] = []
    /// Whether a message that the broker has no subscriber for is published again.
    private let needsSubscriber: Bool
    /// How many of these the broker has taken, whose PUBACK is on its way.
    private(set) var taken = 0

    init(needsSubscriber: Bool = false) {
        self.needsSubscriber = needsSubscriber
    }

    var isIdle: Bool { outgoing.isEmpty }
    var hasUntaken: Bool { taken < outgoing.count }

    mutating func publish(_ message: BusMessage) {
        outgoing.append(message)
    }

    /// The broker takes the next message.
    mutating func advance(_ bus: inout SimulatedBus, copies: Int) {
        guard hasUntaken, !waitsForSubscriber(bus) else { return }
        bus.accept(outgoing[taken], copies: copies)
        taken += 1
    }

    /// Whether the next message is one that the broker has no subscriber for.
    func waitsForSubscriber(_ bus: SimulatedBus) -> Bool {
        needsSubscriber && hasUntaken && !bus.hasSubscriber(of: outgoing[taken])
    }

    /// A PUBACK arrives; answers for which message.
    mutating func confirm() -> Int? {
        guard taken > 0 else { return nil }
        taken -= 1
        return outgoing.removeFirst().id
    }

    /// The connection breaks: everything without a PUBACK is published again over the next one.
    mutating func reconnect() {
        taken = 0
    }
}
