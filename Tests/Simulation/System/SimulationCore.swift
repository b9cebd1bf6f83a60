import Seeded
import Wire

/// The end of a process between two calls.
struct SimulatedCrash: Error {}

/// What the parts of a run share: the clock, the chances, the bus, the stores, and what has been noted for the checks.
final class SimulationCore {
    var random: SeededGenerator
    var rates: FaultRates
    let mutant: Mutant?
    let seed: UInt64
    /// Microseconds since 1970, as every clock of the system shows it.
    var now: Int64
    var bus: SimulatedBus
    var counterStore = CounterStoreModel()
    var counterDisk = SimulatedDisk()
    /// Whether a log was taken for damaged that is not.
    var hasFalseDamage = false
    /// Whether a counter ended that nobody killed.
    var hasStrangeEnd = false
    var historyStore = HistoryStoreModel()
    var historyHasChanged = false
    /// The device messages that are on the counter's disk.
    var counted: Set<MessageKey> = []
    /// The newest message of each device that the counter was given, and the devices of which it was then given an
    /// older one for the first time: a broker that comes back gives an older one after a newer one.
    private var newest: [DeviceID: MessageKey] = [:]
    private(set) var overtaken: Set<DeviceID> = []
    /// The last revision that the broker has confirmed.
    var confirmed: UInt64 = 0
    /// The partitions that the devices are in.
    let partitions: [Partition]
    /// Who dies at the end of this step.
    private(set) var dying: Set<SimulatedReader> = []
    /// The broker has ended in this step.
    private var brokerHasEnded = false
    private var messageCount = 0

    init(seed: UInt64, mutant: Mutant?, start: Int64, partitions: Set<Partition>) {
        random = SeededGenerator(seed: seed)
        rates = FaultRates(&random)
        bus = SimulatedBus(redeliversLate: rates.redeliversLate)
        self.mutant = mutant
        self.seed = seed
        now = start
        self.partitions = partitions.sorted()
    }

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

    /// Notes the order in which the counter is given messages.
    func note(_ key: MessageKey) {
        guard let last = newest[key.device] else { return newest[key.device] = key }
        if (key.boot, key.sequence) > (last.boot, last.sequence) { return newest[key.device] = key }
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
        if !(error is SimulatedCrash) { hasStrangeEnd = true }
    }

    func takeDying() -> Set<SimulatedReader> {
        defer { dying = [] }
        return dying
    }
}
