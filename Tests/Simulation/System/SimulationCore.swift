import Counter
import History
import Seeded
import Wire

/// The end of a process between two calls.
struct SimulatedCrash: Error {}

/// What the parts of a run share: the clock, the chances, the bus, the stores, and what has been noted for the checks.
///
/// The stores are the services' own, in memory: they stay when a process ends, as a disk does.
final class SimulationCore {
    /// The life of the counter's store.
    static let epoch: UInt64 = 0x5eed

    var random: SeededGenerator
    var rates: FaultRates
    let mutant: Mutant?
    let seed: UInt64
    /// Microseconds since 1970, as every clock of the system shows it.
    var now: Int64
    var bus: SimulatedBus
    let counterStore: CounterStore
    var counterDisk = SimulatedDisk()
    /// Whether a log was taken for damaged that is not.
    var hasFalseDamage = false
    /// The error by which a service ended that nobody killed.
    private(set) var strangeEnd: String?
    var historyStore: HistoryStore
    var historyHasChanged = false
    /// In which minute a counter was last told to forget each device as a whole.
    var takenBack: [DeviceID: Int64] = [:]
    /// The device messages that are on the counter's disk.
    var counted: Set<MessageKey> = []
    /// The device messages in each batch of motion.
    private var keysOfBatches: [[UInt8]: [MessageKey]] = [:]
    /// What the counter's log held, by position, also of files that are deleted: the order in which all was counted.
    var ledger: [UInt64: LogRecord] = [:]
    /// The newest message of each device that the counter was given, and the devices of which it was then given an
    /// older one for the first time: a broker that comes back gives an older one after a newer one.
    private var newest: [DeviceID: MessageKey] = [:]
    private(set) var overtaken: Set<DeviceID> = []
    /// The last revision that the broker has confirmed, and that the counter has noted as confirmed.
    var confirmed: UInt64 = 0
    var published: UInt64 = 0
    /// What a counter of differences has sent, and history has added up.
    var differences = Differences()
    /// The stretches of time that words were stored of, for a mutant.
    var storedWords: Set<String> = []
    /// The frames without a number that came, for a mutant.
    var unnumbered: [DeviceID: [UInt64]] = [:]
    /// Whether people and what is asked of history are simulated too.
    let hasPeople: Bool
    /// How many rows came to history.
    var arrivals: UInt64 = 0
    /// Who dies at the end of this step.
    private(set) var dying: Set<SimulatedReader> = []
    /// The broker has ended in this step.
    private var brokerHasEnded = false
    private var messageCount = 0

    init(seed: UInt64, mutant: Mutant?, start: Int64, hasPeople: Bool) throws {
        random = SeededGenerator(seed: seed)
        rates = FaultRates(&random)
        self.hasPeople = hasPeople
        if hasPeople { rates.admitPeople(&random) }
        bus = SimulatedBus(redeliversLate: rates.redeliversLate)
        counterStore = try CounterStore(inMemory: Self.epoch)
        historyStore = try .inMemory()
        self.mutant = mutant
        self.seed = seed
        now = start
    }

    var nowSeconds: Int64 { now / 1_000_000 }

    func message(_ topic: SimulatedTopic, _ payload: [UInt8], keys: [MessageKey] = []) -> BusMessage {
        messageCount += 1
        return BusMessage(id: messageCount, topic: topic, payload: payload, keys: keys)
    }

    func read(_ reader: SimulatedReader, atMost limit: Int) -> [BusMessage] {
        var messages: [BusMessage] = []
        while messages.count < limit, let message = bus.deliver(to: reader, random: &random) {
            messages.append(message)
        }
        return messages
    }

    /// Notes what is in a batch that goes to the counter.
    func note(_ keys: [MessageKey], in payload: [UInt8]) {
        let known = keysOfBatches[payload] ?? []
        keysOfBatches[payload] = known + keys.filter { !known.contains($0) }
    }

    /// The device messages of a record of the log.
    func keys(in record: LogRecord) -> [MessageKey] {
        if case .motion(let payload) = record { keysOfBatches[payload] ?? [] } else { [] }
    }

    /// Notes the order in which the counter is given messages.
    func note(_ key: MessageKey) {
        guard let last = newest[key.device] else { return newest[key.device] = key }
        if key.number > last.number { return newest[key.device] = key }
        if !counted.contains(key) { overtaken.insert(key.device) }
    }

    /// The broker ends and starts again.
    func endBroker() {
        bus.crash(rates.endings[random.below(rates.endings.count)])
        brokerHasEnded = true
    }

    func takeEndOfBroker() -> Bool {
        defer { brokerHasEnded = false }
        return brokerHasEnded
    }

    func storeFails() -> Bool { random.chance(rates.storeFailure) }

    /// Between any two calls of a process it may die, its connection break, and time pass.
    ///
    /// - Parameter steps: The steps of the run whose chances a call has.
    func moment(of reader: SimulatedReader, publisher: inout SimulatedPublisher, steps: Double = 1) throws {
        if random.chance(rates.processCrash * steps) { throw SimulatedCrash() }
        if random.chance(rates.connectionBreak * steps) {
            bus.disconnect(reader)
            publisher.reconnect()
        }
        if random.chance(rates.stall) { now += Int64(random.below(20_000_000)) }
    }

    /// A process ends at the end of this step: by a crash, or by itself, which none may.
    func end(_ reader: SimulatedReader, of error: any Error) {
        dying.insert(reader)
        if !(error is SimulatedCrash) { strangeEnd = "\(reader) ended: \(error)" }
    }

    func takeDying() -> Set<SimulatedReader> {
        defer { dying = [] }
        return dying
    }
}

/// The rows of a counter that sends what was added, and of a history that adds it up: what a mutant does.
struct Differences {
    private var sent: [MinuteKey: MinuteRow] = [:]
    private var sums: [MinuteKey: MinuteRow] = [:]

    func sending(_ row: MinuteRow) -> MinuteRow {
        guard let before = sent[MinuteKey(device: row.device, minute: row.minute)] else { return row }
        var difference = row
        difference.counts = (row.counts - before.counts).raised(to: Counts())
        return difference
    }

    mutating func noteSent(_ row: MinuteRow) { sent[MinuteKey(device: row.device, minute: row.minute)] = row }

    mutating func adding(_ row: MinuteRow) -> MinuteRow {
        var sum = row
        sum.counts += sums[MinuteKey(device: row.device, minute: row.minute)]?.counts ?? Counts()
        sums[MinuteKey(device: row.device, minute: row.minute)] = sum
        return sum
    }
}
