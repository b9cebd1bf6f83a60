import Counter
import Logging
import Wire

/// A counter that is alive: the service's own main loop, in a world in which each call may fail, or be its last.
struct SimulatedCounter {
    let world: CounterWorld
    private let main: CounterMain

    /// A counter that starts with what the store and the log have.
    init(_ system: SimulationCore) async throws {
        let marks = try await Self.marks(system)
        let world = CounterWorld(system, marks)
        self.world = world
        main = CounterMain(
            limits: Self.limits(system.seed), partitions: .all, bus: world, log: world, store: world,
            clock: { system.now }, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
            marks: marks)
        await world.live { try await main.replay() }
    }

    private static func marks(_ system: SimulationCore) async throws -> LogMarks {
        var marks = try await system.counterStore.marks()
        if system.mutant == .rowsCountedTwice { marks.rows = 0 }
        return marks
    }

    /// In most runs one device is stored at a time, and in some the log may hardly grow.
    private static func limits(_ seed: UInt64) -> CounterLimits {
        var limits = CounterLimits()
        if seed % 4 < 3 { limits.maximumStatesAtOnce = 1 }
        if seed % 8 == 6 { (limits.maximumLogBytes, limits.stallingLogBytes) = (2_000, 4_000) }
        return limits
    }

    var isIdle: Bool { main.isSettled && world.isIdle }
    /// Whether the log is longer than its limit and one batch more.
    var hasEndlessLog: Bool { main.unstoredBytes > main.limits.stallingLogBytes + CounterWorld.maximumBatch * 1_500 }

    /// One turn of the main loop.
    func turn() async { await world.live { _ = try await main.turn() } }
}

/// What a counter has around it. It may die at any call.
final class CounterWorld: SimulatedWorld {
    /// What is being stored beside the counting.
    private struct Storing {
        var commit: CounterCommit
        /// What became of its words, when the store has it.
        var outcomes: [StoringOutcome]?
    }

    /// Rows that are published and not yet confirmed.
    private struct Sending {
        var message: Int
        /// The last revision before them, and the last of them.
        var previousRevision: UInt64
        var lastRevision: UInt64
        var rows: [MinuteRow]
    }

    /// A file of the log is closed when it is larger than this, in bytes: small, so that runs have several.
    private static let segmentBytes = 1_500
    /// The most messages in a batch.
    static let maximumBatch = 4
    /// The most rows of a message to history: few, so that it takes several.
    private static let maximumRows = 2
    /// So many frames without a number a mutant remembers.
    private static let rememberedFrames = 256
    /// A turn has some six calls, and every sixth step is a turn. At each call there are the chances of three steps.
    private static let stepsPerCall = 3.0

    private var log: CounterLog<SimulatedDisk>
    private var storing: Storing?
    /// The device messages of the batch.
    private var keys: [MessageKey] = []
    private var cursor: OutboxCursor
    private var sending: Sending?

    init(_ system: SimulationCore, _ marks: LogMarks) {
        (system.counterDisk.failsAfter, system.counterDisk.failsSync) = (nil, false)
        log = CounterLog(
            system.counterDisk, epoch: system.counterStore.epoch, marks: marks, segmentBytes: Self.segmentBytes)
        cursor = OutboxCursor(stored: system.published)
        super.init(.counter, system)
    }

    override var isIdle: Bool { publisher.isIdle && sending == nil && !cursor.hasRows && !cursor.isMoved }

    override func confirm() {
        guard let message = publisher.confirm() else { return }
        guard let sent = sending, sent.message == message else { return }
        system.confirmed = max(system.confirmed, sent.lastRevision)
        advanceCursor()
        for row in sent.rows { system.differences.noteSent(row) }
        sending = nil
    }

    override func connected() { publisher.publish(system.message(.counterOnline, [])) }

    /// What may happen between any two calls; the store may get on too.
    private func moment() async throws {
        try mayEnd(steps: Self.stepsPerCall)
        if system.random.chance(0.1) { try await advanceStore() }
    }
}

// MARK: - The bus

extension CounterWorld: CounterBus {
    func next() async throws -> [CounterMessage]? {
        try await moment()
        read(atMost: Self.maximumBatch)
        keys = []
        let batch = messages.map { take($0) }
        if system.mutant == .counterAcknowledgesFirst { acknowledgeBatch() }
        return batch
    }

    private func take(_ message: BusMessage) -> CounterMessage {
        message.payload.withUnsafeBytes { bytes in
            do {
                switch message.topic {
                case .resend: return .resend(try CountsResend(decoding: bytes))
                case .config(let device): return .record(.config(device, message.payload))
                case .forget: return .record(.forget(try CountsForget(decoding: bytes)))
                default: break
                }
                for key in message.keys { system.note(key) }
                keys += message.keys
                let payload = try spoiled(bytes) ?? message.payload
                system.note(message.keys, in: payload)
                return .record(.motion(payload))
            } catch { return .unreadable(error as? WireError ?? .malformed) }
        }
    }

    /// What a mutant makes of a batch.
    private func spoiled(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8]? {
        let spoilers: [Mutant?] = [.noIdentityCheck, .recordSpoilsBatch, .forgetsUnnumbered]
        guard spoilers.contains(system.mutant) else { return nil }
        var decoder = try MotionBatchDecoder(bytes)
        var encoder = MotionBatchEncoder()
        while let record = decoder.next() {
            if system.mutant == .recordSpoilsBatch, record.content.hasJump { break }
            let isRenamed =
                system.mutant == .noIdentityCheck || system.mutant == .forgetsUnnumbered && isForgotten(record)
            _ = encoder.append(isRenamed ? renamed(record) : record)
        }
        return encoder.bytes
    }

    /// What a mutant dies of, now and at each start.
    private func survive(_ record: LogRecord) throws {
        guard system.mutant == .endsAtHugeCount, case .motion(let payload) = record else { return }
        try payload.withUnsafeBytes { bytes in
            var decoder = try MotionBatchDecoder(bytes)
            while let record = decoder.next() {
                if case .steps(let count) = record.content, count.steps > UInt32.max { throw HugeCount() }
            }
        }
    }

    /// Whether a frame without a number has come before, and many since.
    private func isForgotten(_ record: MotionRecord) -> Bool {
        guard case .frame(let frame) = record.content, case .unsequenced(let hash) = frame.identity else {
            return false
        }
        let known = system.unnumbered[record.device] ?? []
        if let index = known.firstIndex(of: hash) { return index < known.count - Self.rememberedFrames }
        system.unnumbered[record.device] = known + [hash]
        return false
    }

    /// The same content under a name that nobody has had.
    private func renamed(_ record: MotionRecord) -> MotionRecord {
        guard case .frame(var frame) = record.content else { return record }
        var copy = record
        frame.identity =
            system.mutant == .forgetsUnnumbered
            ? .sequenced(boot: BootID(rawValue: system.random.next() >> 12), sequence: 0)
            : .unsequenced(contentHash: system.random.next())
        copy.content = .frame(frame)
        return copy
    }

    func acknowledge() async throws {
        try await moment()
        if system.mutant != .counterAcknowledgesFirst { acknowledgeBatch() }
    }

    func publish(_ outputs: [LiveOutput]) async throws { try await moment() }
    func takeBack(_ device: DeviceID) async throws {
        try await moment()
        system.takenBack[device] = system.now / 60_000_000
    }
    func report(_ tally: CounterTally) {}

    func noteRows() async throws {
        try await moment()
        cursor.hasRows = true
    }

    func resend(_ request: CountsResend) async throws {
        try await moment()
        let revision = request.revisions[system.counterStore.epoch] ?? 0
        guard try await revision <= system.counterStore.lastRevision() else {
            throw CounterError.historyIsNewer(path: system.counterStore.path, revision: revision)
        }
        try await system.counterStore.setConfirmed(revision)
        cursor.rewind(to: revision)
    }
}

// MARK: - The log

extension CounterWorld: InputLog {
    var lastPosition: UInt64 { log.lastPosition }

    func readNext() async throws -> LogPart? {
        try await moment()
        let part = try onDisk { try $0.readNext() }
        // Nothing here damages what was synced.
        if part?.notes.isEmpty == false { system.hasFalseDamage = true }
        // A process that died before the sync may have left it whole: it counts, whether or not it comes again.
        for (record, position) in part?.records ?? [] {
            system.counted.formUnion(system.keys(in: record))
            system.ledger[position] = record
            try survive(record)
        }
        return part
    }

    func write(_ records: [LogRecord]) async throws {
        while true {
            try await moment()
            if system.storeFails() { log.files.failsAfter = system.random.below(records.count * 400) }
            guard (try? onDisk({ try $0.append(records) })) != nil else { continue }
            if system.mutant == .acknowledgesBeforeSync { acknowledgeBatch() }
            try await moment()
            log.files.failsSync = system.storeFails()
            if (try? onDisk({ try $0.sync() })) != nil { break }
        }
        system.counted.formUnion(keys)
        for (index, record) in records.enumerated() {
            system.ledger[log.lastPosition - UInt64(records.count - 1 - index)] = record
            try survive(record)
        }
    }

    func trim(through position: UInt64) async throws {
        try await moment()
        try onDisk { try $0.trim(through: position) }
    }

    func empty() throws { try onDisk { try $0.empty() } }

    private func onDisk<Result>(_ body: (inout CounterLog<SimulatedDisk>) throws -> Result) rethrows -> Result {
        defer { system.counterDisk = log.files }
        return try body(&log)
    }
}

// MARK: - The store

extension CounterWorld: StateStore {
    func devices(after device: DeviceID?) async throws -> [StoredDevice] {
        try await moment()
        return try await system.counterStore.devices(after: device, atMost: Self.maximumRows)
    }

    func dropState(of device: DeviceID) async throws {
        try await moment()
        try await system.counterStore.dropState(of: device)
    }

    func forget(_ order: CountsForget, _ marks: LogMarks) async throws {
        try await moment()
        try await system.counterStore.forget(order, marks)
    }

    func begin(_ commit: CounterCommit) async throws {
        try await moment()
        storing = Storing(commit: commit)
        if system.mutant == .trimsBeforeStored { try await trim(through: commit.marks?.states ?? 0) }
    }

    var isDone: Bool { storing?.outcomes != nil }

    func finish() async throws -> [StoringOutcome] {
        while true {
            try await moment()
            if let outcomes = storing?.outcomes {
                storing = nil
                return outcomes
            }
            system.now += Int64(system.random.below(50_000))
            try await advanceStore()
        }
    }

    /// The store takes what is being stored, or fails, and takes it later.
    func advanceStore() async throws {
        let rates = system.rates
        guard var commit = storing?.commit, storing?.outcomes == nil, !system.storeFails(),
            !system.random.chance(rates.storeStandstill)
        else { return }
        switch system.mutant {
        case .tornCommit:
            var half = CounterCommit()
            (half.states, half.marks) = (commit.states, commit.marks)
            _ = try await system.counterStore.commit(half, nowMicroseconds: system.now)
            if system.random.chance(rates.processCrash * 4) { throw SimulatedCrash() }
        case .positionBeforeCount: commit.marks?.states = log.lastPosition
        case .positionOfNewest: if let newest = commit.marks?.counted { commit.marks?.states = newest }
        case .firstWordStays:
            commit.words.removeAll {
                !system.storedWords.insert("\($0.device) \($0.word.start) \($0.word.end)").inserted
            }
        default: break
        }
        storing?.outcomes = try await system.counterStore.commit(commit, nowMicroseconds: system.now)
    }
}

// MARK: - Rows for history

extension CounterWorld {
    /// Publishes the next rows that are due, when those before are confirmed.
    func sendRows() async throws {
        guard sending == nil, cursor.hasRows else { return }
        let batch = try await system.counterStore.counts(after: cursor.published, atMost: Self.maximumRows)
        guard var batch else { return cursor.hasRows = false }
        let rows = batch.rows
        if system.mutant == .differences { batch.rows = rows.map(system.differences.sending) }
        let message = system.message(.counts, batch.encoded())
        publisher.publish(message)
        sending = Sending(
            message: message.id, previousRevision: cursor.published, lastRevision: batch.lastRevision, rows: rows)
        if system.mutant == .cursorBeforeConfirmation { advanceCursor() }
    }

    private func advanceCursor() {
        guard let sending else { return }
        cursor.advance(from: sending.previousRevision, through: sending.lastRevision)
    }

    /// Stores how far history has the rows.
    func storeCursor() async throws {
        guard cursor.isMoved else { return }
        try await system.counterStore.setPublished(cursor.published)
        system.published = cursor.published
        cursor.store(cursor.published)
    }
}

/// The end of a mutant.
private struct HugeCount: Error {}

extension MotionContent {
    /// Whether neighbouring values of a frame are further apart than the finest grain of a batch holds, in units of the sensor.
    fileprivate var hasJump: Bool {
        guard case .frame(let frame) = self else { return false }
        return zip(frame.values, frame.values.dropFirst()).contains { abs($0 - $1) > 30 }
    }
}
