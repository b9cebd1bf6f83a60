package import Logging
package import ServiceKit
import Wire

/// The counter, from its start to its end.
///
/// Its promise: a message is acknowledged when it is on the disk, in the log; and the store's position in the log never
/// runs ahead of what is counted. So the process may die in any of these lines: what the log has beyond the store's
/// position is counted again, and the broker sends again what was not acknowledged.
///
/// Bus, log and store are protocols: the service gives real ones, and the simulation ones that fail, or die, at
/// any call.
package final class CounterMain {
    package let limits: CounterLimits
    private let bus: any CounterBus
    private let log: any InputLog
    private let store: any StateStore
    private let clock: () -> Int64
    /// What is counted now, and what ended the counter.
    private let inputGuard: InputGuard
    /// The life of the store, of which positions in the log are.
    private let epoch: UInt64
    private let logger: Logger

    package private(set) var pipeline: CounterPipeline
    /// The messages by kind, and the commits.
    package private(set) var tally = CounterCounters()
    /// The partitions whose devices are counted.
    private let partitions: PartitionRange

    /// The commit that is being stored.
    private struct Storing {
        /// The place in the log through which the store has every result then.
        var through: LogPlace
        var hasRows: Bool
        var configs: [StoredConfig]
    }

    /// The place in the log through which the store has every result.
    private var stored = LogPlace()
    private var storing: Storing?
    /// When states, and when minutes, were last given to the store.
    private var statesBeganAt: Int64
    private var rowsBeganAt: Int64
    /// Configs that were not given to the store.
    private var configs: [StoredConfig] = []
    private var tickedAt: Int64
    /// When something last came.
    private var receivedAt: Int64

    /// A counter at its start.
    ///
    /// - Parameters:
    ///   - clock: the time in microseconds since 1970.
    ///   - knownDevices: the number of devices whose states are stored.
    ///   - progress: how much of the log the store has.
    ///   - zone: the IANA name of the zone of devices whose config names none.
    ///   - inputGuard: where it is noted what is counted, beyond the end of the process.
    ///   - epoch: the life of the store.
    package init(
        limits: CounterLimits, partitions: PartitionRange, bus: any CounterBus, log: any InputLog,
        store: any StateStore, clock: @escaping () -> Int64, logger: Logger,
        knownDevices: Int, progress: LogProgress, zone: String = "UTC",
        inputGuard: InputGuard = InputGuard(), epoch: UInt64 = 0
    ) {
        (self.inputGuard, self.epoch) = (inputGuard, epoch)
        (self.limits, self.partitions, self.logger) = (limits, partitions, logger)
        (self.bus, self.log, self.store, self.clock) = (bus, log, store, clock)
        tickedAt = clock()
        (statesBeganAt, rowsBeganAt, receivedAt) = (tickedAt, tickedAt, tickedAt)
        stored.position = progress.stored
        pipeline = CounterPipeline(
            limits: limits, knownDevices: knownDevices, zone: zone,
            place: LogPlace(position: progress.stored, microseconds: tickedAt), rowsThrough: progress.rows)
    }

    /// The time in microseconds since 1970.
    var now: Int64 { clock() }

    /// Counts the log, then what comes until no more is read, and then stores everything.
    ///
    /// - Parameter beginReading: called when the log is counted: nothing may come before.
    package func run(beginReading: () -> Void) async throws {
        try await countLog()
        beginReading()
        while try await turn() {}
        try await storeEverything()
        try await log.empty()
    }

    /// Looks after the store, looks around when it is time, and takes what has come. False when no more is read.
    @discardableResult
    package func turn() async throws -> Bool {
        // The store works beside the counting. When it is done the log lets go of that, and history gets the rows.
        if storing != nil, store.isDone {
            try await finishStoring()
            try await storeWhenDue()
        }
        if now - tickedAt >= Int64(limits.tickMilliseconds) * 1_000 { try await tick() }
        // A store that stands still must not let the log grow without end: nothing is read until it goes on.
        while unstoredBytes >= limits.stallingLogBytes, hasUnstored || storing != nil { try await makeRoom() }

        guard let messages = try await bus.next() else { return false }
        guard !messages.isEmpty else {
            try await bus.acknowledge()
            return true
        }
        receivedAt = now

        // While the disk fails this does not go on: nothing is acknowledged, so nothing more is sent to us.
        let records = messages.compactMap { if case .record(let record) = $0 { record } else { nil } }
        if !records.isEmpty { try await log.write(records) }
        for message in messages { try await answer(message) }
        // From here on all of it is counted, whatever happens, and the next messages may come in.
        try await bus.acknowledge()
        for record in records { try await count(record) }
        try await bus.publish(pipeline.takeLive())
        try await storeWhenDue()
        return true
    }

    /// Counts what the log has beyond the store.
    package func countLog() async throws {
        var recordCount = 0
        while let part = try await log.readNext() {
            for note in part.notes { logger.error("\(note)") }
            for (record, position) in part.records {
                // One before it may not have been readable.
                pipeline.advance(to: position - 1)
                try await count(record, isReplayed: true)
            }
            recordCount += part.records.count
        }
        if recordCount > 0 { logger.info("counted the log", metadata: ["records": "\(recordCount)"]) }
        // Where the end of the log is damaged, only its position may be known.
        pipeline.advance(to: max(pipeline.place.position, log.lastPosition, pipeline.rowsThrough))
        let now = now
        (pipeline.place.microseconds, tickedAt, statesBeganAt, rowsBeganAt) = (now, now, now, now)
        pipeline.repeatAfterRestart()
        pipeline.measureSilence(from: now)
        pipeline.expect(try await store.recentDevices(), nowMicroseconds: now)
    }

    /// Looks for devices that have fallen silent.
    private func tick() async throws {
        let now = now
        pipeline.place.microseconds = now
        try await load(pipeline.devicesToWake(nowMicroseconds: now, atMost: min(Self.maximumWoken, pipeline.room)))
        // Held up, it could hear nobody: silence is measured from here.
        if now - tickedAt > Self.heldUpMicroseconds { pipeline.measureSilence(from: now) }
        let silence = pipeline.findSilent(nowMicroseconds: now)
        if !silence.devices.isEmpty {
            try await log.write([.silence(silence)])
            try await count(.silence(silence))
        }
        tickedAt = now
        try await bus.publish(pipeline.takeLive())
        // Of those that were loaded, many have not changed: no commit would drop them.
        if storing == nil { pipeline.evict() }
        try await storeWhenDue()
        tally[.setAside] = inputGuard.setAsideCount
        try await bus.report(tally, pipeline.tally)
    }
}

// MARK: - Messages

extension CounterMain {
    /// The longest config that is taken, in bytes.
    package static var maximumConfigBytes: Int { 16_384 }
    /// A tick that comes later than this after the one before means that the counter was held up, in microseconds.
    package static var heldUpMicroseconds: Int64 { 1_500_000 }
    /// The most devices that are loaded in one tick, because they are quiet.
    private static var maximumWoken: Int { 1_000 }
    /// Nothing has come for so long that nothing more is waited for before storing, in microseconds: a device sends a frame
    /// a second.
    private static var quietMicroseconds: Int64 { 1_500_000 }

    /// Answers what is not counted. Who asked asks again where the process dies.
    private func answer(_ message: CounterMessage) async throws {
        switch message {
        case .record: break
        case .resend(let request):
            try await bus.resend(request)
            tally[.resendMessages] += 1
        case .unreadable(let error): refuse(error)
        }
    }

    /// Counts a record of the log; whatever it holds, it harms only itself.
    private func count(_ record: LogRecord, isReplayed: Bool = false) async throws {
        let position: UInt64? = isReplayed ? pipeline.place.position + 1 : nil
        switch record {
        case .motion(let payload):
            try await count(payload, replayedFrom: position)
            pipeline.place.byteCount += payload.count
        case .config(let device, let json):
            // The broker sends it again at each connection.
            try await guarded(InputKey(json, behind: "\(device)"), "config", of: device, json) {
                if isReplayed { try await load([device], withStatesOnly: true) }
                if !pipeline.hasCounted(position, device) { try await configure(device, json) }
                if isReplayed { _ = pipeline.takeLive() }
            }
            pipeline.place.byteCount += json.count
        case .silence(let silence):
            if isReplayed { try await load(silence.devices.map(\.device)) }
            for (number, silent) in silence.devices.enumerated() {
                try await guarded(key(ofMessage: number), "silence", of: silent.device) {
                    let one = LogRecord.SilentDevices(nowMicroseconds: silence.nowMicroseconds, devices: [silent])
                    pipeline.accept(one, replayedFrom: position)
                    if isReplayed { _ = pipeline.takeLive() }
                }
            }
        case .forget(let order):
            // Its place in the log is noted with it, so that it is done once.
            return try await forget(order)
        }
        pipeline.advance(to: pipeline.place.position + 1)
    }

    /// The name of a part of the record that is being counted.
    private func key(ofMessage number: Int) -> InputKey {
        InputKey(
            place: pipeline.place.position + 1, number: UInt64(UInt32(truncatingIfNeeded: number)) | epoch << 32)
    }

    /// Does what follows from some input, unless the counter has died of it twice.
    private func guarded(
        _ key: InputKey, _ kind: String, of device: DeviceID, _ payload: [UInt8] = [], _ body: () async throws -> Void
    ) async throws {
        guard !inputGuard.isFatal(key) else {
            return payload.withUnsafeBytes { inputGuard.setAside(key, kind: kind, subject: "\(device)", $0) }
        }
        inputGuard.begin(key, "\(device)")
        defer { inputGuard.end(key) }
        try await body()
    }

    /// Why a message cannot be counted further yet.
    private enum Need {
        /// The states of these devices.
        case states([DeviceID])
        /// Room in memory.
        case room
    }

    private func count(_ payload: [UInt8], replayedFrom position: UInt64?) async throws {
        var counted = 0
        // The store may not have them, and is not asked again.
        var asked: Set<DeviceID> = []
        do {
            while true {
                let need = try payload.withRawBytes { bytes throws(WireError) in
                    try count(bytes, from: &counted, without: asked, replayedFrom: position)
                }
                switch need {
                case .states(let devices):
                    try await load(devices)
                    asked.formUnion(devices)
                case .room:
                    try await makeRoom(amidRecord: true)
                    asked = []
                case nil: return tally[.motionMessages] += 1
                }
            }
        } catch let error as WireError { refuse(error) }
    }

    /// Counts device messages to the end of a batch, or as far as it can. One that cannot be read harms no other.
    ///
    /// - Parameters:
    ///   - counted: The number of them that are done with.
    ///   - asked: Devices that the store was asked for.
    private func count(
        _ bytes: UnsafeRawBufferPointer, from counted: inout Int, without asked: Set<DeviceID>,
        replayedFrom position: UInt64?
    ) throws(WireError) -> Need? {
        func needsState(_ device: DeviceID) -> Bool { pipeline.needsState(for: device) && !asked.contains(device) }
        var decoder = try MotionBatchDecoder(bytes)
        for _ in 0..<counted { _ = decoder.nextBytes() }
        var storage = Frame()
        while let message = decoder.nextBytes() {
            if pipeline.isFull { return .room }
            // By its bytes: what the broker gives again, because a process died before it was told, stands anew in the log.
            let key = InputKey(message)
            if inputGuard.isFatal(key) {
                let device = MotionBatchDecoder.device(in: message).map { "\($0)" } ?? "an unknown device"
                inputGuard.setAside(key, kind: "motion", subject: device, message)
                counted += 1
                continue
            }
            inputGuard.begin(key, MotionBatchDecoder.device(in: message).map { "\($0)" } ?? "")
            defer { inputGuard.end(key) }
            let read = MotionBatchDecoder.read(message, reusing: consume storage)
            storage = Frame()
            guard let record = read else {
                refuse(.malformed)
                counted += 1
                continue
            }
            if needsState(record.device) {
                // With those of the rest of the message.
                var unknown = Set([record.device])
                while unknown.count < limits.maximumStatesAtOnce, let message = decoder.nextBytes() {
                    if let device = MotionBatchDecoder.device(in: message), needsState(device) {
                        unknown.insert(device)
                    }
                }
                return .states(unknown.sorted())
            }
            pipeline.accept(record, replayedFrom: position)
            // It was live before; what it makes of a report belongs to the same message.
            if position != nil { _ = pipeline.takeLive() }
            counted += 1
            if case .frame(let frame) = record.content { storage = frame }
        }
        if decoder.unreadableCount > 0 { refuse(.malformed) }
        return nil
    }

    /// Takes a config, or takes it back; of one that cannot be read, the one before stays in force.
    private func configure(_ device: DeviceID, _ json: [UInt8]) async throws {
        var config: DeviceConfig?
        var refusal: WireError?
        do throws(WireError) {
            guard json.count <= Self.maximumConfigBytes else { throw .payloadTooLarge }
            config = json.isEmpty ? nil : try DeviceConfig(json: json)
        } catch { refusal = error }
        guard partitions.contains(Partition(of: device)) else { return }
        tally[.configMessages] += 1
        // The device's health says what is wrong.
        if refusal != nil || DeviceSettings.problem(config) != nil { try await load([device]) }
        if let refusal {
            let problem = json.withUnsafeBytes { DeviceConfig.problem(in: $0) } ?? "\(refusal)"
            pipeline.refuseConfig(refusal, problem, of: device)
        } else if pipeline.configure(device: device, config) {
            configs.append(StoredConfig(device: device, json: json))
        }
    }

    /// Everything that came before the order is counted, stored and published before it.
    private func forget(_ order: CountsForget) async throws {
        try await storeEverything()
        try await bus.publish(pipeline.takeLive())
        let (position, bytes) = (pipeline.place.position + 1, order.encoded())
        try await guarded(InputKey(bytes, behind: "forget"), "forget", of: order.device, bytes) {
            // First, because the order is known as done from the store's transaction on.
            if order.isWhole { try await bus.takeBack(order.device) }
            let hadState = try await store.forget(order, .everything(through: position))
            pipeline.advance(to: position)
            stored.position = position
            if order.isWhole { pipeline.forget(order.device, wasStored: hadState) }
        }
        // Where it was set aside.
        if pipeline.place.position < position { pipeline.advance(to: position) }
        try await bus.noteRows()
        tally[.forgetMessages] += 1
    }

    /// Counts a message that cannot be read.
    private func refuse(_ error: WireError) {
        tally[.refusedMessages] += 1
        logger.warning("a message was refused", metadata: ["reason": "\(error.reason)"])
    }
}

// MARK: - Devices in memory

extension CounterMain {
    /// Loads those of some devices that are not in memory.
    ///
    /// - Parameter withStatesOnly: Whether those without a state are left: a config alone makes no device.
    private func load(_ devices: [DeviceID], withStatesOnly: Bool = false) async throws {
        let devices = devices.filter(pipeline.needsState)
        guard !devices.isEmpty else { return }
        for found in try await store.load(devices) where !withStatesOnly || found.state != nil {
            let pending = ((storing?.configs ?? []) + configs).last { $0.device == found.device }
            let config = (pending?.json ?? found.config).flatMap { try? DeviceConfig(json: $0) }
            if pipeline.restore(device: found.device, state: found.state, config: config) { continue }
            logger.error(
                "a device's state is damaged and was set aside: it is counted anew",
                metadata: ["device": "\(found.device)"])
            try await store.setAside(found.device)
        }
    }

    /// Stores some of what has changed, and waits for that: then devices, and files of the log, can be dropped.
    private func makeRoom(amidRecord: Bool = false) async throws {
        if storing == nil { try await beginStoring(amidRecord: amidRecord) }
        try await awaitStored()
    }
}

// MARK: - The store, beside the counting

extension CounterMain {
    /// The bytes of motion and configs in the log that the store does not have.
    package var unstoredBytes: Int { pipeline.place.byteCount - stored.byteCount }

    /// Whether there is anything to store. What only refused records moved is the position: the log must let go of them.
    private var hasUnstored: Bool {
        pipeline.hasChanged || !configs.isEmpty || pipeline.place.position > stored.position
    }

    /// True if everything is stored.
    package var isSettled: Bool { storing == nil && !hasUnstored }

    /// Whether there is time to store what has changed.
    private var isQuiet: Bool { pipeline.place.microseconds - receivedAt >= Self.quietMicroseconds }

    /// Whether changed states have waited long enough: they are large, and what they follow from is in the log. Where it is
    /// quiet they are stored at once.
    private var areStatesDue: Bool {
        let now = pipeline.place.microseconds
        let waited = now - statesBeganAt
        let (age, bytes) =
            pipeline.oldestChange.map { (now - $0.microseconds, pipeline.place.byteCount - $0.byteCount) } ?? (0, 0)
        let isFew = waited / 1_000 * Int64(limits.statesASecond) >= Int64(pipeline.changedCount) * 1_000
        return max(waited, age) >= Int64(limits.minimumUnstoredSeconds) * 1_000_000 && (isFew || isQuiet)
            || age >= Int64(limits.maximumUnstoredSeconds) * 1_000_000 || bytes >= limits.maximumLogBytes
            || pipeline.isCrowded
    }

    /// Whether minutes are to be stored: readers wait for them.
    private var areRowsDue: Bool {
        guard pipeline.hasChanged, pipeline.place.position > pipeline.rowsThrough else { return false }
        let waited = pipeline.place.microseconds - rowsBeganAt
        let isFew = waited / 1_000 * Int64(limits.rowsASecond) >= Int64(pipeline.changedCount) * 1_000
        return waited >= (isQuiet ? 1 : Int64(limits.rowsSeconds)) * 1_000_000 && isFew
    }

    private func storeWhenDue() async throws {
        guard storing == nil else { return }
        if areStatesDue { try await beginStoring() } else if areRowsDue { try await beginStoring(withStates: false) }
    }

    /// Gives the store the minutes of all devices, and the states of those that changed first with all configs.
    ///
    /// - Parameter amidRecord: Whether a record is being counted: of other devices, some of what it makes is in their
    ///   minutes, and they are not stored then.
    private func beginStoring(withStates: Bool = true, amidRecord: Bool = false) async throws {
        guard hasUnstored else { return }
        var (commit, through) = (amidRecord ? CounterCommit() : pipeline.takeRows(), stored)
        if withStates {
            // The state of a configured device has what its config changed: both are stored together.
            commit += pipeline.takeCommit(
                atMost: max(1, limits.maximumStatesAtOnce), with: Set(configs.map(\.device)))
            (commit.configs, configs) = (configs, [])
            through = pipeline.oldestChange ?? pipeline.place
            statesBeganAt = pipeline.place.microseconds
        }
        rowsBeganAt = pipeline.place.microseconds
        // Minutes are ahead while a start counts.
        commit.progress = LogProgress(
            stored: through.position, counted: max(pipeline.place.position, pipeline.rowsThrough),
            rows: pipeline.rowsThrough)
        storing = Storing(through: through, hasRows: commit.hasRows, configs: commit.configs)
        tally[.commits] += 1
        tally[.rows] += UInt64(commit.increments.count)
        try await store.begin(commit)
    }

    /// The store has it: the log lets go of it, history gets the rows, and devices may be dropped.
    private func finishStoring() async throws {
        let outcomes = try await store.finish()
        guard let done = storing else { return }
        (stored, storing) = (done.through, nil)
        try await log.trim(through: stored.position)
        if done.hasRows { try await bus.noteRows() }
        pipeline.note(outcomes)
        pipeline.evict()
    }

    private func awaitStored() async throws {
        while storing != nil { try await finishStoring() }
    }

    /// Returns when everything is stored.
    package func storeEverything() async throws {
        try await awaitStored()
        while hasUnstored {
            try await beginStoring()
            try await awaitStored()
        }
    }
}
