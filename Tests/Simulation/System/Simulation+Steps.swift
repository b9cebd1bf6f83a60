import Wire

extension Simulation {
    /// One step of anybody, drawn at random; what cannot be done now is nothing.
    mutating func step() async throws {
        try await disturb()
        switch core.random.below(18) {
        case 0, 1: passTime()
        case 2: send()
        case 3, 4: takeOver()
        case 5, 6: confirm()
        case 7, 8: await ingest?.turn()
        case 9, 10, 11: await counter?.turn()
        case 12: try await counter?.world.sendRows()
        case 13: try await counter?.world.storeCursor()
        case 14:
            configure()
            if core.hasPeople { try await ask() }
        default: await history?.turn()
        }
        noteEndOfBroker()
        for reader in core.takeDying() { end(reader) }
        try await checkStep()
    }

    /// What a silence that is lived through takes at most, in microseconds.
    private static var watchedSilence: Int64 { 120_000_000 }

    /// Mostly a little, and at times as much as until the next message is due.
    private mutating func passTime() {
        core.now += Int64(core.random.below(200_000))
        guard core.random.chance(0.3), let due = senders.compactMap(\.nextDue).min() else { return }
        // A long silence is passed at once.
        let isLong = due - core.now > Self.watchedSilence
        core.now = max(core.now, isLong ? due : min(due, core.now + 5_000_000))
    }

    private mutating func send() {
        for index in senders.indices {
            while let due = senders[index].nextDue, due <= core.now {
                let planned = senders[index].takeNext()
                senders[index].publisher.publish(core.message(planned.topic, planned.payload, keys: [planned.key]))
            }
        }
    }

    /// The broker takes the next message of somebody.
    private mutating func takeOver() {
        let copies = core.random.chance(core.rates.duplicate) ? 2 : 1
        let index = core.random.below(senders.count + 3)
        switch index {
        case ..<senders.count: senders[index].publisher.advance(&core.bus, copies: copies)
        case senders.count + 2: operatorDesk.advance(&core.bus, copies: copies)
        default: world(of: Self.publishers[index - senders.count])?.advance(copies: copies)
        }
    }

    /// At times a device gets a config, or loses it.
    private mutating func configure() {
        guard core.random.chance(core.rates.config) else { return }
        let sender = senders[core.random.below(senders.count)]
        let json = SimulatedConfig.draw(for: sender, &core.random)
        give(json, to: sender.device)
    }

    /// Somebody hears that the broker has taken a message.
    private mutating func confirm() {
        let index = core.random.below(senders.count + 3)
        switch index {
        case ..<senders.count: _ = senders[index].publisher.confirm()
        case senders.count + 2: _ = operatorDesk.confirm()
        default: world(of: Self.publishers[index - senders.count])?.confirm()
        }
    }
}
