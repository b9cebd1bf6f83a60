package import ServiceKit
package import Wire

/// The keeping of counts, from history's start to its end.
///
/// Its promise: a message of a counter is acknowledged when its rows are in the store. So the process may die in any of
/// these lines: what was not acknowledged comes again, and a row that comes again is the same row.
///
/// The messages of a counter form a chain: each names the last revision of the one before. A message that names a later
/// revision than the last one known shows a gap; its rows are kept, because they are states and true by themselves, but the
/// cursor stays until the counter has sent what was missed.
///
/// Bus and store are protocols: the service gives real ones, and the simulation ones that fail, or die, at any call.
/// Publications and answers are the work of `HistoryPublisher`, beside this.
package final class HistoryMain {
    /// So many parts are kept one by one after a death of which no row is known: more than the broker sends before any is acknowledged.
    private static let maximumCarefulParts = 2_000

    private let bus: any HistoryBus
    private let store: any CountsStore
    private let retention: Retention
    /// What is kept now, and what ended history.
    private let inputGuard: InputGuard
    /// The parts of changes that are kept one by one, because history has died of one among others.
    private var carefulParts: Int
    /// The time in seconds since 1970.
    private let clock: () -> Double
    private var chains: CountsChains
    private var lostConnections: UInt64
    private var hasConnected = false
    private var tally = HistoryCounters()

    /// Goes on from the store's positions.
    ///
    /// - Parameters:
    ///   - retention: The time that minutes are kept.
    ///   - inputGuard: Where it is noted what is kept, beyond the end of the process.
    ///   - clock: The time in seconds since 1970.
    package init(
        bus: any HistoryBus, store: any CountsStore, cursors: [ChainCursor], retention: Retention = Retention(),
        inputGuard: InputGuard = InputGuard(), clock: @escaping () -> Double
    ) {
        (self.bus, self.store, self.retention, self.inputGuard, self.clock) = (bus, store, retention, inputGuard, clock)
        carefulParts = inputGuard.deaths(of: .commit) > 0 ? Self.maximumCarefulParts : 0
        chains = CountsChains(cursors)
        lostConnections = store.lostConnections
    }

    /// Keeps what comes until no more is read.
    package func run() async throws {
        while try await turn() {}
    }

    /// Asks for what is missing, makes some minutes that are due, takes what has come, and keeps it. False when no more is
    /// read.
    @discardableResult
    package func turn() async throws -> Bool {
        if store.lostConnections != lostConnections { try await readCursors() }
        if let request = chains.takeRequest(nowSeconds: clock()) {
            try await bus.ask(request)
            tally[.resends] += 1
        }

        let watch = CommitWatch(inputGuard)
        watch.begin()
        let due = try await store.makeDue(watch)
        watch.end(HistoryChanges())
        if let due { try await bus.publish(due) }

        guard let batch = try await bus.next() else { return false }
        var changes = HistoryChanges()
        for input in batch { try await take(input, into: &changes) }
        guard !changes.isEmpty else {
            try await bus.acknowledge()
            try await bus.report(tally, isMissing: chains.hasGap)
            return true
        }
        // While the store fails this does not go on: nothing is acknowledged, so nothing more is sent to us.
        let outcome = try await keep(changes)
        try await bus.acknowledge()
        tally.note(outcome)
        try await bus.report(tally, isMissing: chains.hasGap)
        try await bus.publish(outcome)
        return true
    }

    /// Keeps changes in one transaction; one by one where history has died of one of them, but not of which.
    private func keep(_ changes: HistoryChanges) async throws -> CommitOutcome {
        guard carefulParts > 0 || inputGuard.hasFatal else { return try await commit(changes, as: .commit) }
        var (outcome, rest) = (CommitOutcome(), HistoryChanges(cursors: changes.cursors))
        for part in changes.parts {
            let key = InputKey(part)
            if inputGuard.isFatal(key) {
                Array("\(part)\n".utf8).withUnsafeBytes {
                    inputGuard.setAside(key, kind: "counts", subject: part.subject, $0)
                }
                outcome.refusedRows += 1
            } else if carefulParts > 0 {
                carefulParts -= 1
                outcome += try await commit(part, as: key)
            } else {
                rest += part
            }
        }
        if !rest.isEmpty { outcome += try await commit(rest, as: .commit) }
        return outcome
    }

    private func commit(_ changes: HistoryChanges, as key: InputKey) async throws -> CommitOutcome {
        let watch = CommitWatch(inputGuard, whole: key)
        inputGuard.begin(key, key == .commit ? "a commit" : changes.subject)
        defer { watch.end(changes) }
        return try await store.commit(changes, watch)
    }

    /// At each connection everything since the last stored cursor may be missing: a broker that failed over may have
    /// less, with a session as without, and what a process before this one meant to ask for is not known.
    private func connect() async throws {
        if hasConnected { try await readCursors() }
        hasConnected = true
        chains.ask()
    }

    /// Goes on from what the store has, which may be less than it had.
    private func readCursors() async throws {
        lostConnections = store.lostConnections
        guard let cursors = try await store.cursors() else { return }
        chains.goOn(from: cursors)
        chains.ask()
    }

    private func take(_ input: HistoryInput, into changes: inout HistoryChanges) async throws {
        switch input {
        case .counts(let batch): chains.take(batch, into: &changes, &tally, nowSeconds: clock())
        case .settings(let device, let settings):
            changes.settings.append(SettingsChange(device: device, settings: settings))
            tally[.configs] += 1
        case .role(let user, let role): changes.roles.append(RoleChange(user: user, role: role))
        case .mark(let device, let mark):
            let kind = WorkoutMark.Kind(rawValue: mark.kind.rawValue) ?? .toggle
            do throws(WireError) {
                let second = try mark.second(arrivalSeconds: clock())
                guard retention.keeps(second: second, nowSeconds: clock()) else { throw .absurdTime }
                changes.marks.append(MarkRow(.device(device), WorkoutMark(second, kind)))
            } catch { tally.refuse(error) }
        case .loginsRefused(let count, let addresses): try await bus.reportLogins(refused: count, from: addresses)
        case .connected: try await connect()
        case .counterStarted: chains.ask()
        case .nothing: break
        case .refused(let reason): tally.refuse(reason)
        }
    }
}

/// A message of the bus, as history keeps it.
package enum HistoryInput: Sendable {
    /// A connection begins: what was sent before it may be missing.
    case connected
    /// Rows of a counter.
    case counts(CountsBatch)
    /// A device's settings; `nil` puts the defaults back.
    case settings(DeviceID, DeviceSettings?)
    /// A user's role; `nil` revokes it.
    case role(DeviceID, UserRole?)
    /// An edge of a workout that somebody has set on a device.
    case mark(DeviceID, Mark)
    /// The logins that the private broker refused since it started.
    case loginsRefused(UInt64, from: [String])
    case counterStarted
    /// A message without meaning for history, such as a retained status.
    case nothing
    /// A message that is refused.
    case refused(WireError)

    /// Reads a message.
    package init(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool, in topics: TopicTree)
    {
        do throws(WireError) {
            self = try Self.read(try topics.parse(topic), payload, isRetained: isRetained)
        } catch {
            self = .refused(error)
        }
    }

    /// Reads the payload of a topic.
    package static func read(
        _ topic: Topic, _ payload: UnsafeRawBufferPointer, isRetained: Bool
    ) throws(WireError) -> HistoryInput {
        switch topic {
        case .counts:
            guard !isRetained else { throw .retainedData }
            return .counts(try CountsBatch(decoding: payload))
        case .device(let device, .config):
            // The operator removes settings with an empty message.
            guard !payload.isEmpty else { return .settings(device, nil) }
            return .settings(device, DeviceSettings(try DeviceConfig(json: payload)))
        case .device(let device, .mark):
            guard !isRetained else { throw .retainedData }
            return .mark(device, try Mark(payload: payload))
        case .userRole(let user):
            guard !payload.isEmpty else { return .role(user, nil) }
            var role = try UserRole(json: payload)
            role.person = role.person.flatMap { PersonName.normal($0) }
            return .role(user, role)
        case .serviceHealth(.network):
            let health = try ServiceHealth(json: payload)
            return health["logins_refused"].map { .loginsRefused($0, from: health.loginsRefusedFrom) } ?? .nothing
        case .serviceStatus(.counter):
            return !isRetained && payload.elementsEqual("online".utf8) ? .counterStarted : .nothing
        default: throw .unknownTopic
        }
    }
}

/// The bus as history uses it to keep counts. An error of its methods ends history as a crash would.
package protocol HistoryBus {
    /// Waits for messages or for the next tick; none may have come. `nil` when no more is read.
    func next() async throws -> [HistoryInput]?
    /// The messages of the last `next` are not sent again.
    func acknowledge() async throws
    /// Asks the counters for rows, without waiting for the broker.
    func ask(_ request: CountsResend) async throws
    /// Lets those who read know what is new.
    func publish(_ outcome: CommitOutcome) async throws
    /// Tells operators how many logins the private broker has refused, and from where the last ones came.
    func reportLogins(refused: UInt64, from addresses: [String]) async throws
    /// Tells how the keeping goes, and whether messages of counters are missing.
    func report(_ tally: HistoryCounters, isMissing: Bool) async throws
}

/// The store as history uses it to keep counts.
package protocol CountsStore {
    /// The connections to the database that were lost so far: after each, another server may answer, with less.
    var lostConnections: UInt64 { get }
    /// The position of each counter's chain; `nil` where it cannot be read now.
    func cursors() async throws -> [ChainCursor]?
    /// Keeps changes in one transaction. While the store fails it goes on trying.
    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) async throws -> CommitOutcome
    /// Makes minutes that are due, of some days; `nil` where none are.
    func makeDue(_ watch: CommitWatch) async throws -> CommitOutcome?
}
