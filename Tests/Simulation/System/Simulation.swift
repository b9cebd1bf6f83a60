import Seeded
import Wire

/// Devices, a bus and the three services in one thread under one clock and one source of chance: a seed is a run, and
/// the same seed is the same run.
package struct Simulation {
    static let start: Int64 = 1_795_194_020_000_000
    /// Steps that the devices' day may take until something is plainly stuck.
    static let maximumSteps = 40_000
    /// Seconds of peace in which everything has to settle: longer than the longest wait before rows are asked for
    /// again, and after that the silence until what a signal holds back stands in its minute.
    static let peaceSeconds = 150
    /// Steps in each of these seconds, at most.
    static let peaceSteps = 2_000

    let seed: UInt64
    var core: SimulationCore
    var senders: [SimulatedSender]
    var ingest: SimulatedIngest?
    var counter: SimulatedCounter?
    var history: SimulatedHistory?
    /// Who sends configs, and orders to forget.
    var operatorDesk = SimulatedPublisher()
    /// The last config of each device.
    var configs: [DeviceID: [UInt8]] = [:]
    /// Whose the devices are, by what history has said.
    var said = SaidCheckIns()
    /// What people have said of workouts and classes.
    var workouts = SaidWorkouts()
    /// The devices that were forgotten in the middle of the day, and in which minute.
    var forgotten: [DeviceID: Int64] = [:]
    /// Whether the broker may have lost what it retained.
    var mayLoseRetained = false
    let topics: TopicTree
    var crashes = 0
    var brokerCrashes = 0
    /// History's store is lost, and a new one begins with the next start.
    var hasLostHistory = false
    /// What every minute of the plain senders holds when nothing goes wrong.
    var undisturbed: [MinuteKey: MinuteNumbers] = [:]
    /// The last messages of each device, sent when the broker loses nothing more, so that every gap has an end.
    private static let closingMessages = 2

    /// The run of a seed, with the code broken on purpose or as it is.
    ///
    /// - Parameter guest: The kind of the one sender beside the plain ones; drawn where none is given.
    package init(seed: UInt64, mutant: Mutant? = nil, guest: SenderKind? = nil) throws {
        self.seed = seed
        var random = SeededGenerator(seed: ~seed)
        topics = try TopicTree()
        var kinds: [SenderKind] = [.still, .crank, seed % 8 == 0 ? .walking : .still]
        if let guest {
            kinds.append(guest)
        } else if seed % 2 == 0 {
            for _ in 0...random.below(2) { kinds.append(SenderKind.guests[random.below(SenderKind.guests.count)]) }
        }
        // All share the batches of ingest, so that one can harm another.
        let devices = try kinds.indices.map { try DeviceID("sender-\($0)") }
        var senders: [SimulatedSender] = []
        for (kind, device) in zip(kinds, devices) {
            senders.append(SimulatedSender(kind, device: device, start: Self.start, random: &random))
        }
        self.senders = senders
        core = try SimulationCore(seed: seed, mutant: mutant, start: Self.start, hasPeople: seed % 2 == 0)
        // Their results are held against an uninterrupted run, which forgets nothing.
        if hasWorkouts { core.rates.forgets = false }
        mayLoseRetained = core.rates.losesMessages
    }

    /// Runs the seed to its end.
    ///
    /// - Throws: `SimulationFailure`, which says what was wrong and how to see it again.
    package mutating func run() async throws -> SimulationSummary {
        undisturbed = try await ReferenceCount.minutes(of: plainSenders.flatMap(\.planned).compactMap(\.record))
        try await connectEverything()
        try await live(until: Self.closingMessages)
        core.rates.spareBroker()
        try await connectEverything()
        try await live(until: 0)
        try await live(steps: 300)
        core.rates.end()
        try await settle()
        try await checkEnd()
        switch seed % 8 {
        case 0: try await forgetDevice()
        case 2: try await forgetPerson(aged: false)
        case 3, 7: try await forgetOne()
        case 4: try await forgetPerson(aged: true)
        default: break
        }
        return try await summary()
    }

    /// The services that publish for longer than a turn.
    static let publishers: [SimulatedReader] = [.counter, .history]

    /// What is around a service, where that is alive.
    func world(of reader: SimulatedReader) -> SimulatedWorld? {
        switch reader {
        case .ingest: ingest?.world
        case .counter: counter?.world
        case .history: history?.world
        }
    }

    /// Those whose every minute is known.
    var plainSenders: [SimulatedSender] {
        senders.filter { if case .minutes = $0.truth { true } else { false } }
    }

    /// Goes on until no device has more messages left to send.
    private mutating func live(until left: Int) async throws {
        var steps = 0
        while senders.contains(where: { $0.planned.count - $0.sent > left }) {
            steps += 1
            guard steps < Self.maximumSteps else { throw failure("the run does not come to its end") }
            try await step()
        }
    }

    mutating func live(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
    }

    /// Lets time pass without faults until nothing is left to do, and on until nobody has anything left to ask.
    mutating func settle() async throws {
        try await connectEverything()
        for _ in 0..<Self.peaceSeconds {
            var steps = 0
            while steps < Self.peaceSteps, !isSettled {
                try await step()
                if core.hasPeople { passOn() }
                steps += 1
            }
            core.now += 1_000_000
            await history?.turn()
            await counter?.turn()
        }
        // A silence that is found in the last second makes a commit for each device.
        for _ in 0..<Self.peaceSteps * senders.count where !isSettled {
            try await step()
            if core.hasPeople { passOn() }
        }
        guard isSettled else { throw failure("the system does not settle: \(unsettled)") }
    }

    /// In peace the broker takes what the services publish without delay.
    private func passOn() {
        for service in Self.publishers {
            world(of: service)?.advance(copies: 1)
            world(of: service)?.confirm()
        }
    }

    /// At the end one device is forgotten, whoever dies meanwhile, and nobody else.
    private mutating func forgetOne() async throws {
        let device = senders[Int(seed / 4) % senders.count].device
        let order = CountsForget(device: device, minutes: 0..<1, isWhole: true)
        operatorDesk.publish(core.message(.forget(Partition(of: device)), order.encoded()))
        (core.rates.processCrash, core.rates.storeFailure) = (seed % 8 == 3 ? 0.015 : 0.004, 0.2)
        try await live(steps: 400)
        core.rates.end()
        try await settle()
        try await checkForgotten(device)
    }

    private var isSettled: Bool {
        core.bus.isEmpty && operatorDesk.isIdle && senders.allSatisfy { $0.publisher.isIdle && $0.nextDue == nil }
            && ingest?.world.isIdle == true && counter?.isIdle == true && history?.world.isIdle == true
    }

    private var unsettled: String {
        """
        bus \(core.bus.sessions.map { [$0.queue.count, $0.inFlight.count] }), ingest \(ingest?.world.isIdle == true), \
        counter \(counter?.isIdle == true), history \(history?.world.unfinished ?? ["not there"]), \
        devices \(senders.map { [$0.publisher.outgoing.count, $0.planned.count - $0.sent] })
        """
    }

    func failure(_ problem: String) -> SimulationFailure {
        SimulationFailure(seed: seed, mutant: core.mutant, problem: problem)
    }
}
