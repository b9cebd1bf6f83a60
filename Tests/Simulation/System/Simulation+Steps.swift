import Wire

extension Simulation {
    /// One step of anybody, drawn at random; what cannot be done now is nothing.
    mutating func step() async throws {
        await disturb()
        switch core.random.below(18) {
        case 0, 1: passTime()
        case 2: send()
        case 3, 4: takeOver()
        case 5, 6: confirm()
        case 7, 8: await ingest?.turn()
        case 9, 10, 11: await counter?.turn()
        case 12: counter?.world.sendRows()
        case 13: counter?.world.storeCursor()
        case 14: configure()
        default: await history?.turn()
        }
        noteEndOfBroker()
        for reader in core.takeDying() { end(reader) }
        try checkStep()
    }

    /// Mostly a little, and at times as much as until the next message is due.
    private mutating func passTime() {
        core.now += Int64(core.random.below(200_000))
        guard core.random.chance(0.3), let due = senders.compactMap(\.nextDue).min() else { return }
        core.now = max(core.now, min(due, core.now + 5_000_000))
    }

    private mutating func send() {
        for index in senders.indices {
            while let due = senders[index].nextDue, due <= core.now {
                let planned = senders[index].takeNext()
                let topic = SimulatedTopic.raw(senders[index].device, senders[index].channel)
                senders[index].publisher.publish(core.message(topic, planned.payload, keys: [planned.key]))
            }
        }
    }

    /// The broker takes the next message of somebody.
    private mutating func takeOver() {
        let copies = core.random.chance(core.rates.duplicate) ? 2 : 1
        let index = core.random.below(senders.count + 3)
        switch index {
        case senders.count: counter?.world.advance(copies: copies)
        case senders.count + 1: history?.world.advance(copies: copies)
        case senders.count + 2: operatorDesk.advance(&core.bus, copies: copies)
        default: senders[index].publisher.advance(&core.bus, copies: copies)
        }
    }

    /// At times a device gets a config, or loses it.
    private mutating func configure() {
        guard core.random.chance(core.rates.config) else { return }
        let device = senders[core.random.below(senders.count)].device
        let zones = ["", "Asia/Tokyo", "Europe/Berlin", "Pacific/Auckland"]
        let zone = zones[core.random.below(zones.count)]
        let json = zone.isEmpty ? [] : Array(#"{"zone":"\#(zone)"}"#.utf8)
        configs[device] = json.isEmpty ? nil : json
        operatorDesk.publish(core.message(.config(device), json))
    }

    /// Somebody hears that the broker has taken a message.
    private mutating func confirm() {
        let index = core.random.below(senders.count + 3)
        switch index {
        case senders.count: counter?.world.confirm()
        case senders.count + 1: history?.world.confirm()
        case senders.count + 2: _ = operatorDesk.confirm()
        default: _ = senders[index].publisher.confirm()
        }
    }
}
