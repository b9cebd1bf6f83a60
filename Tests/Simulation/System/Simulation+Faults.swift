import History
import Wire

extension Simulation {
    /// Something may go wrong before any step.
    mutating func disturb() async throws {
        let rates = core.rates
        for reader in SimulatedReader.allCases {
            if !isAlive(reader) {
                if core.random.chance(0.15) || rates.processCrash == 0 { try await start(reader) }
            } else if core.random.chance(rates.processCrash) {
                end(reader)
            } else if !core.bus.isConnected[reader.rawValue] {
                if core.random.chance(0.3) || rates.connectionBreak == 0 { connect(reader) }
            } else if core.random.chance(rates.connectionBreak) {
                core.bus.disconnect(reader)
                reconnect(reader)
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
        for reader in SimulatedReader.allCases { reconnect(reader) }
    }

    /// A process dies. Of what it had published, the broker may have taken some more from the socket.
    mutating func end(_ reader: SimulatedReader) {
        guard isAlive(reader) else { return }
        crashes += 1
        for _ in 0..<core.random.below(3) {
            switch reader {
            case .ingest: ingest?.world.advance(copies: 1)
            case .counter: counter?.world.advance(copies: 1)
            case .history: history?.world.advance(copies: 1)
            }
        }
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
        if reader == .history { history?.world.connected() }
        if reader == .counter { counter?.world.announce() }
    }

    private mutating func reconnect(_ reader: SimulatedReader) {
        switch reader {
        case .ingest: ingest?.world.reconnect()
        case .counter: counter?.world.reconnect()
        case .history: history?.world.reconnect()
        }
    }

    func isAlive(_ reader: SimulatedReader) -> Bool {
        switch reader {
        case .ingest: ingest != nil
        case .counter: counter != nil
        case .history: history != nil
        }
    }

    /// Everybody is there and has a session.
    mutating func connectEverything() async throws {
        for reader in SimulatedReader.allCases {
            if !isAlive(reader) {
                try await start(reader)
            } else if !core.bus.isConnected[reader.rawValue] {
                connect(reader)
            }
        }
    }
}
