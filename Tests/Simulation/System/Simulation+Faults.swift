import History
import Wire

extension Simulation {
    /// Something may go wrong before any step.
    mutating func disturb() async throws {
        let rates = core.rates
        for reader in SimulatedReader.allCases {
            if world(of: reader) == nil {
                if core.random.chance(0.15) || rates.processCrash == 0 { try await start(reader) }
            } else if core.random.chance(rates.processCrash) {
                end(reader)
            } else if !core.bus.isConnected[reader.rawValue] {
                if core.random.chance(0.3) || rates.connectionBreak == 0 { connect(reader) }
            } else if core.random.chance(rates.connectionBreak) {
                core.bus.disconnect(reader)
                world(of: reader)?.reconnect()
            }
        }
        if core.random.chance(rates.stall) { core.now += Int64(core.random.below(20_000_000)) }
        if core.random.chance(0.02) { core.bus.save() }
        if core.random.chance(rates.brokerCrash) { core.endBroker() }
        noteEndOfBroker()
    }

    /// Where the broker has ended, everybody connects again.
    mutating func noteEndOfBroker() {
        guard core.takeEndOfBroker() else { return }
        brokerCrashes += 1
        for index in senders.indices { senders[index].publisher.reconnect() }
        operatorDesk.reconnect()
        for reader in SimulatedReader.allCases { world(of: reader)?.reconnect() }
    }

    /// A process dies. Of what it had published, the broker may have taken some more from the socket.
    mutating func end(_ reader: SimulatedReader) {
        guard let world = world(of: reader) else { return }
        crashes += 1
        for _ in 0..<core.random.below(3) { world.advance(copies: 1) }
        core.bus.disconnect(reader)
        switch reader {
        case .ingest: ingest = nil
        case .counter:
            counter = nil
            if core.random.chance(0.3) { core.counterDisk.losePower(&core.random) }
        case .history:
            history = nil
            hasLostHistory = core.random.chance(core.rates.lostHistory)
        }
    }

    private mutating func start(_ reader: SimulatedReader) async throws {
        switch reader {
        case .ingest: ingest = SimulatedIngest(core, topics)
        case .counter: counter = try await SimulatedCounter(core)
        case .history:
            if hasLostHistory { core.historyStore = try .inMemory() }
            hasLostHistory = false
            history = try await SimulatedHistory(core, topics)
        }
        connect(reader)
    }

    private mutating func connect(_ reader: SimulatedReader) {
        core.bus.connect(reader)
        world(of: reader)?.connected()
    }

    /// Everybody is there and has a session.
    mutating func connectEverything() async throws {
        for reader in SimulatedReader.allCases {
            if world(of: reader) == nil {
                try await start(reader)
            } else if !core.bus.isConnected[reader.rawValue] {
                connect(reader)
            }
        }
    }
}
