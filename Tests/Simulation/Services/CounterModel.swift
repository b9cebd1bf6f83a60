import Counter
import Wire

/// A counter that is alive: the service's own loop and log, with every effect a step of its own, so that it can die
/// between any two of them.
struct CounterModel {
    /// What is to be done next.
    private enum Step {
        case effect(CounterLoop.Effect)
        /// The log has the records, and they are not on the disk yet.
        case sync([[UInt8]])
    }

    /// What is being stored beside the work.
    private struct Storing {
        var commit: CounterCommit
        var progress: LogProgress
        /// Whether the store has it, and the loop does not know yet.
        var isDone = false
        /// What became of its claims.
        var outcomes: [ClaimOutcome] = []
    }

    /// Rows that are published and not yet confirmed.
    private struct Sending {
        var message: Int
        var lastRevision: UInt64
        var generation: Int
    }

    /// A file of the log is closed when it is larger than this, in bytes: small, so that runs have several.
    private static let segmentBytes = 1_500

    private var loop: CounterLoop
    private var log: CounterLog<SimulatedDisk>
    private var steps: [Step] = []
    private var storing: Storing?
    private(set) var publisher = SimulatedPublisher()
    private var batchCount = 0
    private var connection = 0
    /// The device messages of the batch.
    private var keys: [MessageKey] = []
    private var cursor: OutboxCursor
    private var sending: Sending?

    /// A counter that starts with what the store and the log have.
    init(_ system: inout SimulationCore) {
        let progress = system.counterStore.progress
        (system.counterDisk.failsAfter, system.counterDisk.failsSync) = (nil, false)
        loop = CounterLoop(
            limits: Self.limits(system.seed), partitions: .all, knownDevices: system.counterStore.states.count,
            storedPosition: progress.stored, nowMicroseconds: system.now)
        log = CounterLog(
            system.counterDisk, epoch: system.counterStore.epoch, progress: progress,
            segmentBytes: Self.segmentBytes)
        cursor = OutboxCursor(stored: system.counterStore.published)
        replay(&system)
        loop.begin(
            nowMicroseconds: system.now, recent: system.counterStore.all.map(\.device), after: log.lastPosition)
    }

    /// In some runs fewer devices may be in memory than there are, so that they are dropped and taken up again; in as many
    /// one device is stored at a time.
    private static func limits(_ seed: UInt64) -> CounterLimits {
        var limits =
            seed % 4 == 1 ? CounterLimits(maximumResidentDevices: 1, maximumSurplusDevices: 1) : CounterLimits()
        if seed % 4 < 3 { limits.maximumStatesAtOnce = 1 }
        return limits
    }

    private mutating func replay(_ system: inout SimulationCore) {
        let found = try? log.readAll()
        // Nothing here damages what was synced.
        system.hasFalseDamage = found?.notes.isEmpty != true
        system.counterDisk = log.files
        for record in found?.records ?? [] {
            // A process that died before the sync may have left it whole: it counts, whether or not it comes again.
            system.counted.formUnion(Self.keys(in: record.payload))
            steps = loop.handle(.replayed(record.payload, position: record.position)).map { .effect($0) }
            while !steps.isEmpty { perform(&system) }
        }
    }

    var isIdle: Bool {
        loop.isSettled && steps.isEmpty && publisher.isIdle && sending == nil && !cursor.hasRows && !cursor.isMoved
    }

    /// Does the next thing, or reads.
    mutating func step(_ system: inout SimulationCore) {
        if steps.isEmpty, !loop.isBusy { read(&system) } else { perform(&system) }
    }

    private mutating func read(_ system: inout SimulationCore) {
        let messages = system.read(.counter, atMost: 1 + system.random.below(4))
        guard !messages.isEmpty else { return }
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.counter.rawValue]
        keys = []
        let batch = messages.compactMap { take($0, &system) }
        if system.mutant == .counterAcknowledgesFirst { acknowledge(&system) }
        steps += loop.handle(.batch(batch)).map { .effect($0) }
    }

    private mutating func take(_ message: BusMessage, _ system: inout SimulationCore) -> CounterLoop.Message? {
        message.payload.withUnsafeBytes { bytes in
            if case .resend = message.topic { return (try? CountsResend(decoding: bytes)).map { .resend($0) } }
            guard var decoder = try? MotionBatchDecoder(bytes) else { return nil }
            var encoder = MotionBatchEncoder()
            while let record = try? decoder.next() {
                if let key = MessageKey(record) {
                    system.note(key)
                    keys.append(key)
                }
                _ = encoder.append(renamed(record, &system))
            }
            return .motion(system.mutant == .noIdentityCheck ? encoder.bytes : message.payload)
        }
    }

    /// The device messages of a record of the log.
    private static func keys(in payload: [UInt8]) -> [MessageKey] {
        payload.withUnsafeBytes { bytes in
            guard var decoder = try? MotionBatchDecoder(bytes) else { return [] }
            var keys: [MessageKey] = []
            while let record = try? decoder.next() {
                if let key = MessageKey(record) { keys.append(key) }
            }
            return keys
        }
    }

    /// The same content under a name that nobody has had.
    private func renamed(_ record: MotionRecord, _ system: inout SimulationCore) -> MotionRecord {
        guard system.mutant == .noIdentityCheck, case .frame(var frame) = record.content else { return record }
        var copy = record
        frame.identity = .unsequenced(contentHash: system.random.next())
        copy.content = .frame(frame)
        return copy
    }

    private mutating func acknowledge(_ system: inout SimulationCore) {
        guard batchCount > 0 else { return }
        system.bus.acknowledge(batchCount, by: .counter, over: connection)
        batchCount = 0
    }

    /// Looks at who is silent, unless a batch is being worked on.
    mutating func tick(_ system: inout SimulationCore) {
        guard steps.isEmpty, !loop.isBusy else { return }
        steps += loop.handle(.tick(nowMicroseconds: system.now)).map { .effect($0) }
    }
}

// MARK: - Effects

extension CounterModel {
    private mutating func perform(_ system: inout SimulationCore) {
        guard !steps.isEmpty else { return }
        switch steps[0] {
        case .sync(let payloads): sync(payloads, &system)
        case .effect(.log(let payloads)): append(payloads, &system)
        case .effect(.awaitStored): finishStoring(&system)
        case .effect(let effect):
            steps.removeFirst()
            answer(effect, &system)
        }
    }

    private mutating func answer(_ effect: CounterLoop.Effect, _ system: inout SimulationCore) {
        switch effect {
        case .load(let devices):
            steps += loop.handle(.loaded(system.counterStore.load(devices))).map { .effect($0) }
        case .store(let commit):
            let progress = commit.progress ?? LogProgress()
            storing = Storing(commit: commit, progress: progress)
            if system.mutant == .trimsBeforeStored { trim(through: progress.stored, &system) }
        case .resend(let request): cursor.rewind(to: request.revision(ofEpoch: system.counterStore.epoch))
        case .acknowledge:
            if system.mutant != .counterAcknowledgesFirst { acknowledge(&system) }
            steps += loop.handle(.acknowledged).map { .effect($0) }
        case .log, .awaitStored, .setAside, .forget, .publish, .refuse: break
        }
    }

    private mutating func append(_ payloads: [[UInt8]], _ system: inout SimulationCore) {
        var disk = log.files
        if system.storeFails() { disk.failsAfter = system.random.below(payloads.reduce(0) { $0 + $1.count }) }
        log.files = disk
        defer { system.counterDisk = log.files }
        do { try log.append(payloads) } catch { return }
        steps[0] = .sync(payloads)
        if system.mutant == .acknowledgesBeforeSync { acknowledge(&system) }
    }

    private mutating func sync(_ payloads: [[UInt8]], _ system: inout SimulationCore) {
        var disk = log.files
        disk.failsSync = system.storeFails()
        log.files = disk
        defer { system.counterDisk = log.files }
        do { try log.sync() } catch {
            // The service appends the same once more.
            steps[0] = .effect(.log(payloads))
            return
        }
        system.counted.formUnion(keys)
        steps.removeFirst()
        steps = loop.handle(.logged).map { .effect($0) } + steps
    }

    /// The store takes what is being stored; the loop hears of it when it waits for it or has nothing else to do.
    mutating func finishStoring(_ system: inout SimulationCore) {
        guard let begun = storing else { return }
        if !begun.isDone { commit(begun, &system) }
        guard let storing, storing.isDone else { return }
        if case .effect(.awaitStored)? = steps.first { steps.removeFirst() }
        guard steps.isEmpty else { return }
        self.storing = nil
        trim(through: storing.progress.stored, &system)
        steps = loop.handle(.stored(storing.outcomes)).map { .effect($0) }
    }

    private mutating func commit(_ storing: Storing, _ system: inout SimulationCore) {
        guard !system.storeFails() else { return }
        if system.mutant == .tornCommit {
            system.counterStore.keep(states: storing.commit.states)
            system.counterStore.progress = storing.progress
            if system.random.chance(system.rates.processCrash * 4) { return system.crash(.counter) }
        }
        var commit = storing.commit
        switch system.mutant {
        case .positionBeforeCount: commit.progress?.stored = log.lastPosition
        case .positionOfNewest: commit.progress?.stored = storing.progress.counted
        default: break
        }
        self.storing?.outcomes = system.counterStore.commit(commit)
        if !storing.commit.increments.isEmpty || !storing.commit.claims.isEmpty { cursor.hasRows = true }
        self.storing?.isDone = true
    }

    private mutating func trim(through position: UInt64, _ system: inout SimulationCore) {
        try? log.trim(through: position)
        system.counterDisk = log.files
    }
}

// MARK: - Rows for history

extension CounterModel {
    /// Publishes the next rows that are due, when those before are confirmed.
    mutating func sendRows(_ system: inout SimulationCore) {
        guard sending == nil, cursor.hasRows else { return }
        let batch = system.counterStore.counts(
            after: cursor.published, asDifferences: system.mutant == .differences)
        guard let batch else { return cursor.hasRows = false }
        let message = system.message(.counts(system.partitions[0]), batch.encoded())
        publisher.publish(message)
        sending = Sending(message: message.id, lastRevision: batch.lastRevision, generation: cursor.generation)
        if system.mutant == .cursorBeforeConfirmation { advance() }
    }

    private mutating func advance() {
        guard let sending else { return }
        cursor.advance(through: sending.lastRevision, generation: sending.generation)
    }

    /// Stores how far history has the rows.
    mutating func storeCursor(_ system: inout SimulationCore) {
        guard cursor.isMoved else { return }
        system.counterStore.setPublished(cursor.published)
        cursor.store(cursor.published)
    }

    mutating func confirm(_ system: inout SimulationCore) {
        guard let message = publisher.confirm() else { return }
        guard let sent = sending, sent.message == message else { return }
        system.confirmed = max(system.confirmed, sent.lastRevision)
        advance()
        if system.mutant == .differences { system.counterStore.noteSent(through: sent.lastRevision) }
        sending = nil
    }

    mutating func announce(_ system: inout SimulationCore) {
        publisher.publish(system.message(.counterOnline, []))
    }

    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func reconnect() { publisher.reconnect() }
}
