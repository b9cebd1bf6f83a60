package import Logging
package import ServiceKit
package import Wire

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
    /// Microseconds since 1970.
    private let clock: () -> Int64
    /// What is counted now, and what ended the counter.
    private let inputGuard: InputGuard
    private let logger: Logger

    package private(set) var pipeline: CounterPipeline
    private let counters: CounterCounters
    private let partitions: PartitionRange

    /// The commit that is being stored.
    private struct Storing {
        /// The place in the log through which the store has every result then.
        var through: LogPlace
        var hasRows: Bool
    }

    /// The place in the log through which the store has every result.
    private var stored = LogPlace()
    private var storing: Storing?
    /// When states, and when minutes, were last given to the store.
    private var statesBeganAt: Int64
    private var rowsBeganAt: Int64
    /// Configs that were not given to the store.
    private var configs: [DeviceID: [UInt8]] = [:]
    private var tickedAt: Int64
    /// When something last came.
    private var receivedAt: Int64

    /// A counter at its start.
    package init(
        limits: CounterLimits, partitions: PartitionRange, bus: any CounterBus, log: any InputLog,
        store: any StateStore, clock: @escaping () -> Int64, logger: Logger,
        marks: LogMarks, zone: String = "UTC",
        inputGuard: InputGuard = InputGuard(), counters: CounterCounters = CounterCounters()
    ) {
        (self.inputGuard, self.counters) = (inputGuard, counters)
        (self.limits, self.partitions, self.logger) = (limits, partitions, logger)
        (self.bus, self.log, self.store, self.clock) = (bus, log, store, clock)
        tickedAt = clock()
        (statesBeganAt, rowsBeganAt, receivedAt) = (tickedAt, tickedAt, tickedAt)
        stored.position = marks.states
        pipeline = CounterPipeline(
            limits: limits, zone: zone, place: LogPlace(position: marks.states, microseconds: tickedAt),
            rowsThrough: marks.rows)
    }

    /// The time in microseconds since 1970.
    var now: Int64 { clock() }

    /// Counts the log, then what comes until no more is read, and then stores everything.
    ///
    /// - Parameter beginReading: called when the log is counted: nothing may come before.
    package func run(beginReading: () -> Void) async throws {
        try await replay()
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
        while unstoredBytes >= limits.stallingLogBytes, hasUnstored || storing != nil {
            if storing == nil { try await beginStoring() }
            try await awaitStored()
        }

        guard let messages = try await bus.next() else { return false }
        guard !messages.isEmpty else {
            try await bus.acknowledge()
            return true
        }
        receivedAt = now

        for case .rival(let range) in messages {
            throw CounterError.partitionsInUse(own: "\(partitions)", others: "\(range)")
        }
        // While the disk fails this does not go on: nothing is acknowledged, so nothing more is sent to us.
        let records = messages.compactMap { if case .record(let record) = $0 { record } else { nil } }
        if !records.isEmpty { try await log.write(records) }
        // History asks for missed rows again where the process dies before it has answered.
        for message in messages {
            if case .resend(let request) = message { try await bus.resend(request) }
            if case .unreadable(let error) = message { refuse(error) }
        }
        // From here on all of it is counted, whatever happens, and the next messages may come in.
        try await bus.acknowledge()
        for record in records { try await countRecord(record) }
        try await bus.publish(pipeline.takeLive())
        try await storeWhenDue()
        return true
    }

    /// Takes up all devices, and counts what the log has beyond the store.
    package func replay() async throws {
        try await takeUpDevices()
        var recordCount = 0
        while let part = try await log.readNext() {
            for note in part.notes { logger.error("\(note)") }
            for (record, position) in part.records {
                // One before it may not have been readable.
                pipeline.advance(to: position - 1)
                try await countRecord(record, isReplayed: true)
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
    }

    private func takeUpDevices() async throws {
        var last: DeviceID?
        while true {
            let found = try await store.devices(after: last)
            guard let newest = found.last else { return }
            for device in found { try await takeUp(device) }
            last = newest.device
        }
    }

    private func takeUp(_ stored: StoredDevice) async throws {
        let config = stored.config.flatMap { try? DeviceConfig(json: $0) }
        guard let state = stored.state, try await !setAsidePoison(stored.device, state) else {
            pipeline.configure(device: stored.device, config)
            return
        }
        let key = InputKey(restoring: stored.device)
        inputGuard.begin(key, "the stored state of \(stored.device)")
        let isWhole = pipeline.restore(
            device: stored.device, state: state, position: stored.position, config: config)
        inputGuard.end(key)
        guard !isWhole else { return }
        logger.error(
            "a device's state is damaged: it is counted anew",
            metadata: ["device": "\(stored.device)"])
        try await store.dropState(of: stored.device)
    }

    /// Begins a device anew whose state the counter died of: twice while it was restored, or while several inputs of the
    /// device were counted, of which each alone might be the reason of two deaths.
    private func setAsidePoison(_ device: DeviceID, _ state: [UInt8]) async throws -> Bool {
        let (restoring, counting) = (InputKey(restoring: device), InputKey(device))
        guard inputGuard.isFatal(restoring) || inputGuard.deaths(of: counting) > InputGuard.fatalDeaths else {
            return false
        }
        state.withUnsafeBytes {
            inputGuard.setAside(InputKey(state, behind: "\(device)"), kind: "state", subject: "\(device)", $0)
        }
        try await store.dropState(of: device)
        for key in [restoring, counting] { inputGuard.end(key, slot: InputGuard.state) }
        return true
    }

    /// Looks for devices that have fallen silent.
    private func tick() async throws {
        let now = now
        // Held up, it could hear nobody: silence is measured from here.
        if now - tickedAt > Self.heldUpMicroseconds { pipeline.measureSilence(from: now) }
        let silence = pipeline.findSilent(nowMicroseconds: now)
        if !silence.devices.isEmpty {
            try await log.write([.silence(silence)])
            try await countRecord(.silence(silence))
        }
        tickedAt = now
        try await bus.publish(pipeline.takeLive())
        try await storeWhenDue()
        counters.set(.setAside, to: inputGuard.setAsideCount)
        try await bus.report(pipeline.tally)
    }
}

// MARK: - Messages

extension CounterMain {
    package static var maximumConfigBytes: Int { 16_384 }
    /// A tick that comes later than this after the one before means that the counter was held up, in microseconds.
    package static var heldUpMicroseconds: Int64 { 1_500_000 }
    /// Nothing has come for so long that nothing more is waited for before storing, in microseconds: a device sends a frame
    /// a second.
    private static var quietMicroseconds: Int64 { 1_500_000 }

    /// Counts a record of the log; whatever it holds, it harms only itself.
    private func countRecord(_ record: LogRecord, isReplayed: Bool = false) async throws {
        let position: UInt64? = isReplayed ? pipeline.place.position + 1 : nil
        switch record {
        case .motion(let payload):
            do throws(WireError) {
                try payload.withRawBytes { bytes throws(WireError) in try countBatch(bytes, replayedFrom: position) }
                counters.add(.motionMessages)
            } catch { refuse(error) }
            pipeline.place.byteCount += payload.count
        case .config(let device, let json):
            // The broker sends it again at each connection.
            json.withUnsafeBytes { bytes in
                guarded(InputKey(json, behind: "\(device)"), of: InputKey(device), "config", "\(device)", bytes) {
                    if !pipeline.hasCounted(position, device) { configure(device, json) }
                }
            }
            pipeline.place.byteCount += json.count
        case .silence(let silence):
            for silent in silence.devices {
                let key = InputKey(Array("silence \(pipeline.place.position)".utf8), behind: "\(silent.device)")
                guarded(key, of: InputKey(silent.device), "silence", "\(silent.device)") {
                    let one = LogRecord.SilentDevices(nowMicroseconds: silence.nowMicroseconds, devices: [silent])
                    pipeline.accept(one, replayedFrom: position)
                }
            }
        case .forget(let order):
            // Its place in the log is noted with it, so that it is done once.
            return try await forget(order)
        }
        if isReplayed { _ = pipeline.takeLive() }
        pipeline.advance(to: pipeline.place.position + 1)
    }

    /// Counts the device messages of a batch. One that cannot be read harms no other.
    private func countBatch(_ bytes: UnsafeRawBufferPointer, replayedFrom position: UInt64?) throws(WireError) {
        var decoder = try MotionBatchDecoder(bytes)
        var storage = Frame()
        while let message = decoder.nextBytes() {
            func device() -> String {
                MotionBatchDecoder.device(in: message).map { "\($0)" } ?? "an unknown device"
            }
            // By its bytes: what the broker gives again, because a process died before it was told, stands anew in the log.
            guarded(InputKey(message), of: InputKey(deviceOf: message), "motion", device(), message) {
                var frame = Frame()
                swap(&frame, &storage)
                guard let record = MotionBatchDecoder.read(message, reusing: consume frame) else {
                    return refuse(.malformed)
                }
                pipeline.accept(record, replayedFrom: position)
                // It was live before; what it makes of a report belongs to the same message.
                if position != nil { _ = pipeline.takeLive() }
                if case .frame(let frame) = record.content { storage = frame }
            }
        }
        if decoder.unreadableCount > 0 { refuse(.malformed) }
    }

    /// Does what follows from some input of a device and changes its state, unless the counter has died of it twice.
    private func guarded(
        _ key: InputKey, of state: InputKey, _ kind: String, _ subject: @autoclosure () -> String,
        _ payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), _ body: () -> Void
    ) {
        guard isHarmless(key, kind, of: subject(), payload) else { return }
        inputGuard.begin(state, slot: InputGuard.state, "")
        inputGuard.begin(key, subject())
        body()
        inputGuard.end(key)
        inputGuard.end(state, slot: InputGuard.state)
    }

    /// False for an input of which the counter has died twice: it is set aside.
    private func isHarmless(
        _ key: InputKey, _ kind: String, of subject: @autoclosure () -> String, _ payload: UnsafeRawBufferPointer
    ) -> Bool {
        guard inputGuard.isFatal(key) else { return true }
        inputGuard.setAside(key, kind: kind, subject: subject(), payload)
        return false
    }

    /// Takes a config, or takes it back; of one that cannot be read, the one before stays in force.
    private func configure(_ device: DeviceID, _ json: [UInt8]) {
        var config: DeviceConfig?
        var refusal: WireError?
        do throws(WireError) {
            guard json.count <= Self.maximumConfigBytes else { throw .payloadTooLarge }
            config = json.isEmpty ? nil : try DeviceConfig(json: json)
        } catch { refusal = error }
        guard partitions.contains(Partition(of: device)) else { return }
        if let refusal {
            let problem = json.withUnsafeBytes { DeviceConfig.problem(in: $0) } ?? "\(refusal)"
            pipeline.refuseConfig(refusal, problem, of: device)
        } else if pipeline.configure(device: device, config) {
            configs[device] = json
        }
    }

    /// Everything that came before the order is counted, stored and published before it.
    private func forget(_ order: CountsForget) async throws {
        try await storeEverything()
        try await bus.publish(pipeline.takeLive())
        let (position, bytes) = (pipeline.place.position + 1, order.encoded())
        let key = InputKey(bytes, behind: "forget")
        if bytes.withUnsafeBytes({ isHarmless(key, "forget", of: "\(order.device)", $0) }) {
            inputGuard.begin(key, "\(order.device)")
            defer { inputGuard.end(key) }
            // First, because the order is known as done from the store's transaction on.
            if order.isWhole { try await bus.takeBack(order.device) }
            try await store.forget(order, LogMarks(states: position, counted: position, rows: position))
            stored.position = position
            if order.isWhole { pipeline.forget(order.device) }
        }
        pipeline.advance(to: position)
        try await bus.noteRows()
    }

    private func refuse(_ error: WireError) {
        counters.add(.refusedMessages)
        logger.warning("a message was refused", metadata: ["reason": "\(error.reason)"])
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
    private func beginStoring(withStates: Bool = true) async throws {
        guard hasUnstored else { return }
        var (commit, through) = (pipeline.takeRows(), stored)
        if withStates {
            // The state of a configured device has what its config changed: both are stored together.
            commit = pipeline.takeCommit(
                atMost: max(1, limits.maximumStatesAtOnce), with: Set(configs.keys), beside: commit)
            (commit.configs, configs) = (configs, [:])
            through = pipeline.oldestChange ?? pipeline.place
            statesBeganAt = pipeline.place.microseconds
        }
        rowsBeganAt = pipeline.place.microseconds
        // Minutes are ahead while a start counts.
        commit.marks = LogMarks(
            states: through.position, counted: max(pipeline.place.position, pipeline.rowsThrough),
            rows: pipeline.rowsThrough)
        storing = Storing(through: through, hasRows: commit.hasRows)
        counters.add(.commits)
        try await store.begin(commit)
    }

    /// The store has it: the log lets go of it, and history gets the rows.
    private func finishStoring() async throws {
        let outcomes = try await store.finish()
        guard let done = storing else { return }
        (stored, storing) = (done.through, nil)
        try await log.trim(through: stored.position)
        if done.hasRows { try await bus.noteRows() }
        pipeline.note(outcomes)
    }

    private func awaitStored() async throws {
        while storing != nil { try await finishStoring() }
    }

    package func storeEverything() async throws {
        try await awaitStored()
        while hasUnstored {
            try await beginStoring()
            try await awaitStored()
        }
    }
}

extension InputKey {
    /// The state of a device, while messages of the device are counted.
    init(_ device: DeviceID) {
        var bytes = [UInt8(device.count)]
        device.append(to: &bytes)
        self.init(bytes)
    }

    /// The same, from a message of a batch, which begins with its device.
    init(deviceOf message: UnsafeRawBufferPointer) {
        self.init(UnsafeRawBufferPointer(rebasing: message.prefix(1 + Int(message.first ?? 0))))
    }

    /// The state of a device, while it is restored.
    init(restoring device: DeviceID) { self.init(Array("restore \(device)".utf8)) }
}
