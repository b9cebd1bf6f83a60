package import Wire

/// The counter's state machine, as a value: it takes events and returns effects.
///
/// Its promise: a batch is acknowledged only when its content is on the disk, in the log or in the store; and the
/// store's position never runs ahead of the counted records. So the process may die at any instruction: records beyond
/// the store's position are counted again, and the broker delivers unacknowledged messages again.
package struct CounterLoop {
    /// The work in progress.
    private enum Work {
        case batch
        case replay(position: UInt64)
        case tick(Int64, isAwake: Bool)
        case stop
    }

    /// The longest configuration that is taken, in bytes.
    static let maximumConfigBytes = 16_384
    /// A tick that comes later than this after the one before means that the worker was held up, in microseconds.
    package static let heldUpMicroseconds: Int64 = 1_500_000
    /// The most devices that are taken up again in one tick, because they are quiet.
    private static let maximumWoken = 1_000

    package private(set) var pipeline: CounterPipeline
    /// The messages by kind, and the commits.
    package var tally = LoopTally()
    /// The partitions whose devices are counted.
    private var partitions: PartitionRange

    private var work: Work?
    private var messages: [Message] = []
    /// The next message to take, and the next record in it.
    private var next = (message: 0, record: 0)
    /// Devices of the batch that were looked up in the store since its last change; it may not have them.
    private var asked: Set<DeviceID> = []
    private var isAcknowledged = false
    /// Whether the batch has content that is not in the log, and is acknowledged once that is stored.
    private var needsStore = false
    /// The last record of the log whose results are all stored or being stored.
    private var storedThrough: UInt64
    /// Devices with a new configuration, which the log does not hold: state and configuration are stored together.
    private var configured: Set<DeviceID> = []
    private var configs: [StoredConfig] = []
    /// Configurations that are being stored.
    private var storingConfigs: [StoredConfig] = []
    private var isStoring = false
    private var isAwaitingStore = false
    private var storeBeganAt = Int64.min / 2
    /// Whether nothing has come since the last tick: then there is time to store what has changed.
    private var isIdle = false
    private var now: Int64 { pipeline.place.microseconds }
    private var tickedAt: Int64
    /// The last record of the log that is counted.
    private var countedThrough: UInt64 { pipeline.place.position }
    /// The bytes of the log since the oldest change that was not given to the store.
    private var unstoredBytes: Int {
        pipeline.oldestChange.map { pipeline.place.byteCount - $0.byteCount } ?? 0
    }
    /// The bytes of the log that may be deleted: now, and when the commit under way is done.
    private var releasedBytes = (now: 0, next: 0)

    /// A loop at its start.
    ///
    /// - Parameters:
    ///   - knownDevices: the number of devices whose states are stored.
    ///   - storedPosition: the last record of the log whose effects are stored.
    ///   - zone: the IANA name of the zone of devices whose config names none.
    package init(
        limits: CounterLimits, partitions: PartitionRange, knownDevices: Int, storedPosition: UInt64,
        nowMicroseconds: Int64, zone: String = "UTC"
    ) {
        pipeline = CounterPipeline(limits: limits, knownDevices: knownDevices, zone: zone)
        self.partitions = partitions
        pipeline.place = LogPlace(position: storedPosition, microseconds: nowMicroseconds)
        storedThrough = storedPosition
        tickedAt = nowMicroseconds
    }

    /// True if no work is in progress and everything is stored.
    package var isSettled: Bool {
        work == nil && !isStoring && !pipeline.hasChanged && configs.isEmpty && countedThrough == storedThrough
    }
    /// True while work waits for an answer: no batch and no tick may come.
    package var isBusy: Bool { work != nil }

    /// Takes what has happened.
    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .batch(let messages): return begin(messages)
        case .logged: return logged()
        case .acknowledged: return advance()
        case .loaded(let devices): return restore(devices) + advance()
        case .stored(let outcomes): return stored(outcomes)
        case .forgotten(let hadState): return forgotten(hadState)
        case .tick(let nowMicroseconds):
            work = .tick(nowMicroseconds, isAwake: false)
            return advance()
        case .replayed(let payload, let position):
            pipeline.place.position = position - 1
            (messages, next, work) = ([.motion(payload)], (0, 0), .replay(position: position))
            return advance()
        case .stopping:
            work = .stop
            return advance()
        }
    }

    /// The whole log is counted: the last live reports before the start are unknown, and silence is measured from here.
    ///
    /// - Parameters:
    ///   - recent: devices of the store with recent messages.
    ///   - position: the last position of the log, where that is beyond the last record that could be read.
    package mutating func begin(nowMicroseconds: Int64, recent: [DeviceID] = [], after position: UInt64 = 0) {
        pipeline.place.position = max(pipeline.place.position, position)
        pipeline.place.microseconds = nowMicroseconds
        (tickedAt, storeBeganAt) = (nowMicroseconds, nowMicroseconds)
        pipeline.repeatAfterRestart()
        pipeline.resume(nowMicroseconds: nowMicroseconds)
        pipeline.expect(recent, nowMicroseconds: nowMicroseconds)
    }

    /// Counts a partition no more. Everything must be stored.
    /// - Parameter storedDevices: How many of its devices the store had.
    package mutating func release(_ partition: Partition, storedDevices: Int) {
        partitions.remove(partition)
        pipeline.release(partition, storedDevices: storedDevices)
    }

    /// Counts a partition from now on, with the devices that came into the store with it.
    /// - Parameter recent: Those with recent messages: their riders may need a 0.
    package mutating func adopt(_ partition: Partition, storedDevices: Int, recent: [DeviceID]) {
        partitions.insert(partition)
        asked = []
        pipeline.adopt(storedDevices: storedDevices, recent: recent)
    }

    private mutating func begin(_ messages: [Message]) -> [Effect] {
        (self.messages, next, work) = (messages, (0, 0), .batch)
        isAcknowledged = false
        isIdle = false
        needsStore = messages.contains { if case .config = $0 { true } else { false } }
        let payloads = messages.compactMap { if case .motion(let payload) = $0 { payload } else { nil } }
        return payloads.isEmpty ? advance() : [.log(payloads)]
    }

    private mutating func logged() -> [Effect] {
        let isWhole = messages.allSatisfy { if case .motion = $0 { true } else { false } }
        guard isWhole else { return advance() }
        isAcknowledged = true
        return [.acknowledge]
    }
}

// MARK: - Work

extension CounterLoop {
    /// Goes on with the work until it is done or needs an answer.
    private mutating func advance() -> [Effect] {
        var effects: [Effect] = []
        guard let work else { return [] }
        let isDone =
            switch work {
            case .batch: advanceBatch(&effects)
            case .replay: advanceReplay(&effects)
            case .tick(let now, let isAwake): advanceTick(now, isAwake: isAwake, &effects)
            case .stop: settle(&effects)
            }
        if isDone { self.work = nil }
        return effects
    }

    private mutating func advanceBatch(_ effects: inout [Effect]) -> Bool {
        // A store that stands still must not let the log grow without end.
        let keptBytes = pipeline.place.byteCount - releasedBytes.now
        if isStoring, keptBytes >= pipeline.limits.stallingLogBytes { return awaitStored(&effects) }
        guard takeMessages(&effects) else { return false }
        if needsStore {
            guard !isStoring else { return awaitStored(&effects) }
            needsStore = false
            beginStore(&effects)
            if isStoring { return awaitStored(&effects) }
        }
        if !isAcknowledged { effects.append(.acknowledge) }
        publish(&effects)
        storeWhenDue(&effects)
        return true
    }

    private mutating func advanceReplay(_ effects: inout [Effect]) -> Bool {
        guard takeMessages(&effects) else { return false }
        _ = pipeline.takeLive()
        return true
    }

    /// Takes messages; false where an answer is needed first.
    private mutating func takeMessages(_ effects: inout [Effect]) -> Bool {
        while next.message < messages.count {
            guard take(messages[next.message], &effects) else { return false }
            next = (next.message + 1, 0)
        }
        (messages, next) = ([], (0, 0))
        asked = []
        return true
    }

    private mutating func advanceTick(_ now: Int64, isAwake: Bool, _ effects: inout [Effect]) -> Bool {
        if !isAwake {
            pipeline.place.microseconds = now
            work = .tick(now, isAwake: true)
            let sleepers = pipeline.devicesToWake(nowMicroseconds: now, atMost: min(Self.maximumWoken, pipeline.room))
            if !sleepers.isEmpty {
                effects.append(.load(sleepers))
                return false
            }
        }
        if now - tickedAt > Self.heldUpMicroseconds {
            pipeline.resume(nowMicroseconds: now)
        } else {
            pipeline.tick(nowMicroseconds: now)
        }
        tickedAt = now
        publish(&effects)
        // Of those that were taken up, many have not changed: no store would drop them.
        if !isStoring { evict() }
        storeWhenDue(&effects)
        isIdle = true
        return true
    }

    /// Drops devices that are stored; the store is asked about them again.
    private mutating func evict() {
        pipeline.evict()
        asked = []
    }

    private mutating func publish(_ effects: inout [Effect]) {
        let outputs = pipeline.takeLive()
        if !outputs.isEmpty { effects.append(.publish(outputs)) }
    }
}

// MARK: - Messages

extension CounterLoop {
    /// Takes one message; whatever it holds, it harms only itself. False where an answer is needed first.
    private mutating func take(_ message: Message, _ effects: inout [Effect]) -> Bool {
        do throws(WireError) {
            switch message {
            case .motion(let payload):
                let isWhole = try payload.withRawBytes { bytes throws(WireError) in try count(bytes, &effects) }
                guard isWhole else { return false }
                tally.motionMessages &+= 1
                passRecord(payload)
            case .config(let device, let json): return try take(config: json, of: device, &effects)
            case .resend(let request):
                tally.resendMessages &+= 1
                effects.append(.resend(request))
            case .forget(let order):
                // Messages before the order are counted and published before it.
                guard settle(&effects) else { return false }
                publish(&effects)
                effects.append(.forget(order))
                return false
            }
        } catch {
            if case .motion(let payload) = message { passRecord(payload) }
            refuse(error, &effects)
        }
        return true
    }

    /// A record of the log is counted.
    private mutating func passRecord(_ payload: [UInt8]) {
        pipeline.place.position += 1
        pipeline.place.byteCount += payload.count
    }

    /// Counts a message that could not be read.
    package mutating func refuse(_ error: WireError, _ effects: inout [Effect]) {
        tally.refusedMessages &+= 1
        effects.append(.refuse(error))
    }

    private mutating func count(_ bytes: UnsafeRawBufferPointer, _ effects: inout [Effect]) throws(WireError) -> Bool {
        var decoder = try MotionBatchDecoder(bytes)
        guard var record = try decoder.next() else { return true }
        let replayed: UInt64? = if case .replay(let position) = work { position } else { nil }
        for _ in 0..<next.record { guard try decoder.next(into: &record) else { return true } }
        repeat {
            if pipeline.isFull { return makeRoom(&effects) }
            guard !pipeline.needsState(for: record.device) || asked.contains(record.device) else {
                effects.append(.load(unknownDevices(record.device, decoder)))
                return false
            }
            pipeline.accept(record, replayedFrom: replayed)
            next.record += 1
        } while try decoder.next(into: &record)
        return true
    }

    /// The devices of the rest of a message whose states are not in memory.
    private func unknownDevices(_ first: DeviceID, _ decoder: MotionBatchDecoder) -> [DeviceID] {
        var (decoder, unknown) = (decoder, Set([first]))
        while unknown.count < pipeline.limits.maximumStatesAtOnce, let record = try? decoder.next() {
            if pipeline.needsState(for: record.device), !asked.contains(record.device) { unknown.insert(record.device) }
        }
        return unknown.sorted()
    }

    /// Takes a config; one that cannot be read leaves the one before in force.
    private mutating func take(
        config json: [UInt8], of device: DeviceID, _ effects: inout [Effect]
    ) throws(WireError) -> Bool {
        guard partitions.contains(Partition(of: device)) else {
            // Whoever takes the device over needs it.
            if json.isEmpty || json.count <= Self.maximumConfigBytes && (try? DeviceConfig(json: json)) != nil {
                configs.append(StoredConfig(device: device, json: json))
            }
            return true
        }
        guard !json.isEmpty else {
            tally.configMessages &+= 1
            guard pipeline.configure(device: device, nil) else { return true }
            configs.append(StoredConfig(device: device, json: []))
            configured.insert(device)
            return true
        }
        do throws(WireError) {
            guard json.count <= Self.maximumConfigBytes else { throw .payloadTooLarge }
            let config = try DeviceConfig(json: json)
            if DeviceSettings.problem(config) != nil {
                guard !pipeline.needsState(for: device) || asked.contains(device) else {
                    effects.append(.load([device]))
                    return false
                }
                pipeline.acquaint(device)
            }
            if pipeline.configure(device: device, config) {
                configs.append(StoredConfig(device: device, json: json))
                configured.insert(device)
            }
        } catch {
            guard !pipeline.needsState(for: device) || asked.contains(device) else {
                effects.append(.load([device]))
                return false
            }
            let problem = json.withUnsafeBytes { DeviceConfig.problem(in: $0) } ?? "\(error)"
            pipeline.refuseConfig(error, problem, of: device)
            configured.insert(device)
        }
        tally.configMessages &+= 1
        return true
    }

    private mutating func forgotten(_ hadState: Bool) -> [Effect] {
        guard case .forget(let order) = messages[next.message] else { return [] }
        tally.forgetMessages &+= 1
        if order.isWhole { pipeline.forget(order.device, wasStored: hadState) }
        next = (next.message + 1, 0)
        return advance()
    }
}

// MARK: - The store

extension CounterLoop {
    private mutating func restore(_ devices: [StoredDevice]) -> [Effect] {
        var damaged: [DeviceID] = []
        for stored in devices {
            asked.insert(stored.device)
            let pending =
                configs.last { $0.device == stored.device } ?? storingConfigs.last { $0.device == stored.device }
            let config = (pending?.json ?? stored.config).flatMap { try? DeviceConfig(json: $0) }
            if !pipeline.restore(device: stored.device, state: stored.state, config: config) {
                damaged.append(stored.device)
            }
        }
        return damaged.isEmpty ? [] : [.setAside(damaged)]
    }

    private mutating func stored(_ outcomes: [ClaimOutcome]) -> [Effect] {
        guard isStoring else { return [] }
        pipeline.note(outcomes)
        isStoring = false
        releasedBytes.now = releasedBytes.next
        storingConfigs = []
        evict()
        guard isAwaitingStore else {
            var effects: [Effect] = []
            if work == nil { storeWhenDue(&effects) }
            return effects
        }
        isAwaitingStore = false
        return advance()
    }

    /// Stores the devices that changed first, and everything that does not follow from the log.
    private mutating func beginStore(_ effects: inout [Effect]) {
        // What only refused records moved is the position: the log must let go of them too.
        guard pipeline.hasChanged || !configs.isEmpty || countedThrough > storedThrough else { return }
        isStoring = true
        (storingConfigs, configs) = (configs, [])
        storeBeganAt = now
        var commit = pipeline.takeCommit(atMost: max(1, pipeline.limits.maximumStatesAtOnce), with: configured)
        configured = []
        storedThrough = pipeline.oldestChange?.position ?? countedThrough
        releasedBytes.next = (pipeline.oldestChange ?? pipeline.place).byteCount
        tally.commits &+= 1
        tally.rows &+= UInt64(commit.increments.count)
        commit.configs = storingConfigs
        commit.progress = LogProgress(stored: storedThrough, counted: countedThrough)
        effects.append(.store(commit))
    }

    private mutating func awaitStored(_ effects: inout [Effect]) -> Bool {
        isAwaitingStore = true
        effects.append(.awaitStored)
        return false
    }

    /// Stores devices, so that they can be dropped; always false, because an answer is needed first.
    private mutating func makeRoom(_ effects: inout [Effect]) -> Bool {
        if !isStoring { beginStore(&effects) }
        return awaitStored(&effects)
    }

    /// Stores everything; false as long as that is not done.
    private mutating func settle(_ effects: inout [Effect]) -> Bool {
        if !isStoring { beginStore(&effects) }
        return isStoring ? awaitStored(&effects) : true
    }

    /// Stores what has changed when it has waited long enough: soon where that is little or nothing else is to be done,
    /// seldom where it is much, and the oldest of it at once where there is too much in the log or in memory.
    private mutating func storeWhenDue(_ effects: inout [Effect]) {
        guard !isStoring else { return }
        let limits = pipeline.limits
        let waited = now - storeBeganAt
        let age = pipeline.oldestChange.map { now - $0.microseconds } ?? 0
        let isFew = waited / 1_000 * Int64(limits.statesASecond) >= Int64(pipeline.changedCount) * 1_000
        let isDue = waited >= 1_000_000 && isFew || isIdle && max(waited, age) >= 1_000_000
        guard
            isDue || age >= Int64(limits.maximumUnstoredSeconds) * 1_000_000
                || unstoredBytes >= limits.maximumLogBytes || pipeline.isCrowded
        else { return }
        beginStore(&effects)
    }
}
