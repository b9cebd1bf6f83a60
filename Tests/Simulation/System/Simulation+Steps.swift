import Wire

extension Simulation {
    /// One step of anybody, drawn at random; what cannot be done now is nothing.
    mutating func step() throws {
        disturb()
        switch core.random.below(17) {
        case 0, 1: passTime()
        case 2: send()
        case 3, 4: takeOver()
        case 5, 6: confirm()
        case 7, 8: ingest?.step(&core)
        case 9, 10: counter?.step(&core)
        case 11: counter?.tick(&core)
        case 12: counter?.sendRows(&core)
        case 13: counter?.storeCursor(&core)
        case 14: counter?.finishStoring(&core)
        case 15: history?.step(&core)
        default: history?.tick(&core)
        }
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
        case senders.count: ingest?.advance(&core.bus, copies: copies)
        case senders.count + 1: counter?.advance(&core.bus, copies: copies)
        case senders.count + 2: history?.advance(&core.bus, copies: copies)
        default: senders[index].publisher.advance(&core.bus, copies: copies)
        }
    }

    /// Somebody hears that the broker has taken a message.
    private mutating func confirm() {
        let index = core.random.below(senders.count + 3)
        switch index {
        case senders.count: ingest?.confirm()
        case senders.count + 1: counter?.confirm(&core)
        case senders.count + 2: history?.confirm()
        default: _ = senders[index].publisher.confirm()
        }
    }
}
