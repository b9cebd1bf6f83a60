import Motion
package import Wire

/// Counts: records in, states, minute increments and live outputs out. It has no clock and does no I/O.
///
/// The caller keeps records in a log until what they made is stored: `takeCommit()` gives that, for one transaction.
/// What `takeLive()` gives may be published when the records are in the log. A record given again is recognised by its
/// device's state.
package struct CounterPipeline: Sendable {
    package let limits: CounterLimits
    /// The fate of the records.
    package private(set) var tally = CounterTally()

    /// A device that changed, and the place in the log of the first change that is not stored.
    private struct Change {
        var device: DeviceID
        var place: LogPlace
    }

    private let reportsEverySecond: Bool
    /// The zone of devices whose config names none.
    private let zone: String
    private var devices: [DeviceCounter] = []
    private var indices: [DeviceID: Int] = [:]
    private var useCount: UInt64 = 0
    /// The devices that changed since they were stored, in the order of their first changes.
    private var changed: [Change] = []
    /// The place in the log of the record that is being counted.
    package var place: LogPlace
    /// The last record whose minutes the store has, or is given. At a start it is ahead of `place`: what is counted up to
    /// there is in the minutes already.
    package private(set) var rowsThrough: UInt64
    /// Devices that may have live reports.
    private var touched: [Int] = []
    /// Devices out of memory whose silence is not over: dropped ones and, at the start, those with recent messages. At
    /// most `maximumDevices`.
    private var asleep: [DeviceID: (lastMessageAt: Int64, silence: SilenceStage)] = [:]
    private var live: [LiveOutput] = []
    private var scratch = SignalScratch()
    private var now: Int64 = 0
    /// Devices with refused messages alone.
    private var refusedDevices = 0

    /// The arrivals that are accepted, in microseconds since 1970: until 2^53, in the year 2255.
    static let arrivals: ClosedRange<Int64> = 0...1 << 53

    /// A pipeline that has seen nothing.
    ///
    /// - Parameters:
    ///   - limits: the bounds.
    ///   - knownDevices: the number of devices whose states are stored.
    ///   - reportsEverySecond: whether the cadence of every second is published, not only the newest of each commit and
    ///     its stops and starts.
    ///   - zone: the IANA name of the zone of devices whose config names none.
    ///   - place: the place in the log that the store has the states of.
    ///   - rowsThrough: the last record whose minutes the store has.
    package init(
        limits: CounterLimits = CounterLimits(), knownDevices: Int = 0, reportsEverySecond: Bool = false,
        zone: String = "UTC", place: LogPlace = LogPlace(), rowsThrough: UInt64 = 0
    ) {
        (self.limits, self.zone, self.place, self.rowsThrough) = (limits, zone, place, rowsThrough)
        self.reportsEverySecond = reportsEverySecond
        tally.devices = UInt64(max(0, knownDevices))
        // Once for all: an array that grows is in memory twice.
        devices.reserveCapacity(
            limits.maximumResidentDevices + limits.maximumSurplusDevices + limits.maximumStatesAtOnce)
    }

    /// Whether a device's stored state, if there is one, must be given to `restore` before its next record.
    package func needsState(for device: DeviceID) -> Bool { indices[device] == nil }

    /// Gives a device's stored state and configuration back.
    ///
    /// - Returns: false where the bytes are damaged: the device is then counted anew. A part of another version begins
    /// anew.
    package mutating func restore(device: DeviceID, state: [UInt8]?, config: DeviceConfig?) -> Bool {
        // Whatever its state is like, it is woken once.
        let sleep = asleep.removeValue(forKey: device)
        guard indices[device] == nil else { return true }
        let settings = DeviceSettings(config, defaultZone: zone)
        guard let state else {
            // A device that has only a configuration is no device yet: its first record makes it one.
            if let config, tally.devices < UInt64(limits.maximumDevices) {
                let index = insertNew(device, settings)
                devices[index].health.configProblem = DeviceSettings.problem(config)
            }
            return true
        }
        guard var counter = DeviceCounter(device: device, settings: settings, state: state) else {
            tally.damagedStates &+= 1
            insert(DeviceCounter(device: device, settings: settings))
            return false
        }
        if counter.sectionsBegunAnew > 0 { tally.partialStates &+= 1 }
        counter.lastMessageAt = sleep?.lastMessageAt
        counter.silence = sleep?.silence ?? .notSilent
        counter.adopt(settings, scratch: &scratch)
        counter.health.configProblem = DeviceSettings.problem(config)
        tally.resumed &+= UInt64(counter.sequence.waitingCount)
        tally.waiting &+= UInt64(counter.sequence.waitingCount)
        let index = insert(counter)
        if !counter.ledger.increments.isEmpty { markChanged(index) }
        return true
    }

    /// Takes the config of a device; it holds from its next frame on. A device that is not in memory takes it with its
    /// next `restore`, unless there is a mistake in it: then the device becomes known, so that its health tells it.
    ///
    /// - Returns: False where it works with it already: the broker sends all configs with each connection.
    @discardableResult
    package mutating func configure(device: DeviceID, _ config: DeviceConfig?) -> Bool {
        let problem = DeviceSettings.problem(config)
        guard let index = problem == nil ? indices[device] : findOrAdd(device) else { return true }
        let settings = DeviceSettings(config, defaultZone: zone)
        guard settings != devices[index].settings || problem != devices[index].health.configProblem else {
            return false
        }
        devices[index].configure(settings, scratch: &scratch)
        devices[index].health.configProblem = problem
        markChanged(index)
        return true
    }

    /// Notes a config that cannot be read; the one before stays in force.
    package mutating func refuseConfig(_ reason: WireError, _ problem: String, of device: DeviceID) {
        guard let index = findOrAdd(device) else { return }
        devices[index].health.refuse(reason, count: 1)
        devices[index].health.configProblem = "the config is refused: \(problem)"
        markChanged(index)
    }

    /// True at a start for a record of the log that a device in memory has counted already.
    func hasCounted(_ logPosition: UInt64?, _ device: DeviceID) -> Bool {
        guard let logPosition, let index = indices[device] else { return false }
        return devices[index].storedThrough >= logPosition
    }

    /// Takes a record.
    ///
    /// - Parameter logPosition: the record's position in the log, at a start: a device whose stored state follows from
    ///   it already does not count it again.
    package mutating func accept(_ record: MotionRecord, replayedFrom logPosition: UInt64? = nil) {
        if hasCounted(logPosition, record.device) { return }
        if let record = record.withoutAbsurdTime { return accept(record, replayedFrom: logPosition) }
        tally.received &+= 1
        guard admits(record) else { return tally.refused &+= 1 }
        guard record.isWithinBounds, let index = findOrAdd(record.device) else { return tally.refused &+= 1 }
        if case .refusal = record.content { tally.refused &+= 1 }
        markChanged(index)
        devices[index].lastMessageAt = now > 0 ? now : record.arrivalMicroseconds
        devices[index].silence = .notSilent
        change(index) { $0.accept(record, scratch: &$1) }
    }

    /// Finds the devices from whose silence something follows by now. Call it a few times a second, with a clock that
    /// only needs to run on.
    package mutating func findSilent(nowMicroseconds: Int64) -> LogRecord.SilentDevices {
        now = nowMicroseconds
        var silence = LogRecord.SilentDevices(nowMicroseconds: now, devices: [])
        for index in devices.indices {
            let since = devices[index].lastMessageAt ?? now
            devices[index].lastMessageAt = since
            if devices[index].isOverdue(now: now) {
                silence.devices.append(.init(device: devices[index].device, since: since))
            }
        }
        return silence
    }

    /// Does what follows from the silence of devices; those that are not in memory are left out.
    package mutating func accept(_ silence: LogRecord.SilentDevices, replayedFrom logPosition: UInt64? = nil) {
        for silent in silence.devices {
            guard let index = indices[silent.device], !hasCounted(logPosition, silent.device) else { continue }
            devices[index].lastMessageAt = silent.since
            if change(index, { $0.fallSilent(now: silence.nowMicroseconds, scratch: &$1) }) { markChanged(index) }
        }
    }

    /// Finds the silent devices, and does what follows.
    package mutating func tick(nowMicroseconds: Int64) { accept(findSilent(nowMicroseconds: nowMicroseconds)) }

    /// The caller was held up, or begins: nothing could come until now, and silence is measured from here.
    package mutating func measureSilence(from nowMicroseconds: Int64) {
        now = nowMicroseconds
        for index in devices.indices { devices[index].lastMessageAt = nowMicroseconds }
    }

    /// Devices of the store with recent messages. They are read when another message comes, or when they have been
    /// quiet from now on for as long as a stop takes: so a start with many of them does not wait for them all.
    mutating func expect(_ recent: [DeviceID], nowMicroseconds: Int64) {
        for device in recent where indices[device] == nil { asleep[device] = (nowMicroseconds, .notSilent) }
    }

    /// The last live reports before a restart are unknown: the next ones of each device are published again.
    mutating func repeatAfterRestart() {
        for index in devices.indices {
            devices[index].reports.repeatAfterRestart()
            devices[index].silence = .notSilent
        }
    }

    /// Forgets a device, as if it had never come. Call it after a commit.
    /// - Parameter wasStored: whether it had a state in the store, which is gone.
    package mutating func forget(_ device: DeviceID, wasStored: Bool) {
        drainReports()
        if let index = indices[device], !devices[index].isChanged { remove(index) }
        asleep[device] = nil
        if wasStored, tally.devices > 0 { tally.devices -= 1 }
    }

    /// Counts what is held back for every device in memory, as at the end of a recording.
    package mutating func finish() {
        for index in devices.indices {
            change(index) { $0.finish(scratch: &$1) }
            markChanged(index)
        }
    }

    /// Whether more devices are in memory than `maximumResidentDevices`, and changed ones are to be stored, so that
    /// they can be dropped.
    package var isCrowded: Bool { devices.count > limits.maximumResidentDevices && hasChanged }
    /// Whether the devices in memory reach the resident and the surplus limit together: some must be dropped before the
    /// next record is accepted.
    package var isFull: Bool { hasChanged && room == 0 }

    /// The number of devices that fit in memory beside those that are there, within both limits.
    package var room: Int {
        max(0, limits.maximumResidentDevices + max(1, limits.maximumSurplusDevices) - devices.count)
    }

    /// Whether any device has a change that was not given out for a commit.
    package var hasChanged: Bool { !changed.isEmpty }
    package var changedCount: Int { changed.count }
    /// The place in the log of the oldest change that was not given out for a commit.
    package var oldestChange: LogPlace? { changed.first?.place }

    /// The minutes of all devices that changed. They are stored before the states that they belong to, which are larger:
    /// a start counts the same again, and knows that it is in the minutes. Call it between two records of the log.
    package mutating func takeRows() -> CounterCommit {
        var commit = CounterCommit()
        for index in changed.compactMap({ indices[$0.device] }) {
            takeRows(of: index, into: &commit)
        }
        rowsThrough = max(rowsThrough, place.position)
        return commit
    }

    /// All records through a position are counted. Those whose minutes were stored before a start end here or before: what
    /// they made once more is left out.
    mutating func advance(to position: UInt64) {
        let isAhead = place.position < rowsThrough
        place.position = position
        guard isAhead, position >= rowsThrough else { return }
        for index in changed.compactMap({ indices[$0.device] }) { devices[index].forgetRows() }
    }

    private mutating func takeRows(of index: Int, into commit: inout CounterCommit) {
        if place.position >= rowsThrough {
            commit.increments += devices[index].ledger.increments
            commit.words += devices[index].words.map { WordRow(device: devices[index].device, word: $0) }
        }
        devices[index].forgetRows()
    }

    /// The devices that changed first, for one transaction.
    ///
    /// - Parameters:
    ///   - limit: the most devices, of those that need not be in it.
    ///   - needed: devices that must be in it if they changed.
    package mutating func takeCommit(atMost limit: Int = .max, with needed: Set<DeviceID> = []) -> CounterCommit {
        var commit = CounterCommit()
        commit.states.reserveCapacity(min(changed.count, limit))
        var rest: [Change] = []
        for (number, change) in changed.enumerated() {
            guard let index = indices[change.device] else { continue }
            if number < limit || needed.contains(change.device) {
                take(index, into: &commit)
            } else {
                rest.append(change)
            }
        }
        changed = rest
        return commit
    }

    private mutating func take(_ index: Int, into commit: inout CounterCommit) {
        takeRows(of: index, into: &commit)
        devices[index].storedThrough = place.position
        commit.states.append(CounterCommit.State(devices[index]))
        devices[index].isChanged = false
    }

    /// Notes words of a commit that changed nothing, so that the device's health tells it.
    package mutating func note(_ outcomes: [WordOutcome]) {
        for outcome in outcomes {
            guard let index = indices[outcome.device] else { continue }
            change(index) { counter, _ in counter.note(outcome) }
            markChanged(index)
        }
    }

    /// The live reports to publish, once the records that they follow from are durable.
    package mutating func takeLive() -> [LiveOutput] {
        drainReports()
        defer { live.removeAll(keepingCapacity: true) }
        return live
    }

    /// Drops devices from memory until their number is within the limit: silent ones first, and of those the longest
    /// silent. Those that have changed since the last commit stay. Call it only when that is stored.
    package mutating func evict() {
        guard devices.count > limits.maximumResidentDevices else { return }
        drainReports()
        let surplus = devices.count - limits.maximumResidentDevices * 9 / 10
        let oldest = devices.indices.filter { !devices[$0].isChanged }.sorted {
            let isSilent = devices[$0].silence != .notSilent
            return isSilent == (devices[$1].silence != .notSilent)
                ? devices[$0].lastUse < devices[$1].lastUse : isSilent
        }.prefix(surplus)
        for index in oldest.sorted(by: >) { remove(index) }
    }

    /// Devices that are not in memory and have been quiet for long, so that they must be restored: frames of theirs may
    /// wait for others that never come, and riders must read 0.
    package func devicesToWake(nowMicroseconds: Int64, atMost limit: Int) -> [DeviceID] {
        guard !asleep.isEmpty else { return [] }
        return Array(
            asleep.lazy.filter { _, sleep in
                let silence = nowMicroseconds - sleep.lastMessageAt
                return silence
                    >= (sleep.silence == .notSilent ? SilenceRule.minimumMicroseconds : SilenceRule.standInMicroseconds)
            }.prefix(limit).map(\.key))
    }

    var residentDevices: Int { devices.count }

    /// The fate of a device's messages, from its stored state; `nil` where that is damaged.
    package static func messageCounts(in state: [UInt8], of device: DeviceID) -> MessageCounts? {
        DeviceCounter(device: device, settings: DeviceSettings(), state: state)?.sequence.counts
    }
}

// MARK: - Devices in memory

extension CounterPipeline {
    /// Whether a record may create a device. Refusals alone must not use up the places of devices that can be counted
    /// and whose first message may come later: at most `maximumRefusedDevices` do, and none that ingest refused as one too
    /// many.
    private mutating func admits(_ record: MotionRecord) -> Bool {
        guard case .refusal(let reason, _) = record.content, indices[record.device] == nil else { return true }
        guard reason != .tooManyDevices, refusedDevices < limits.maximumRefusedDevices else { return false }
        refusedDevices += 1
        return true
    }

    private mutating func change<Result>(
        _ index: Int, _ body: (inout DeviceCounter, inout SignalScratch) -> Result
    ) -> Result {
        let counts = devices[index].sequence.counts
        let waiting = devices[index].sequence.waitingCount
        let result = devices[index].replacingStandIn { body(&$0, &scratch) }
        tally.add(from: counts, to: devices[index].sequence.counts)
        tally.waiting &+= UInt64(bitPattern: Int64(devices[index].sequence.waitingCount - waiting))
        return result
    }

    /// The index of a device, which becomes known if it was not; `nil` where there are too many.
    private mutating func findOrAdd(_ device: DeviceID) -> Int? {
        useCount &+= 1
        if let index = indices[device] {
            devices[index].lastUse = useCount
            return index
        }
        guard tally.devices < UInt64(limits.maximumDevices) else { return nil }
        return insertNew(device, DeviceSettings(nil, defaultZone: zone))
    }

    @discardableResult
    private mutating func insertNew(_ device: DeviceID, _ settings: DeviceSettings) -> Int {
        tally.devices &+= 1
        return insert(DeviceCounter(device: device, settings: settings))
    }

    @discardableResult
    private mutating func insert(_ counter: DeviceCounter) -> Int {
        indices[counter.device] = devices.count
        devices.append(counter)
        devices[devices.count - 1].reports.reportsEverySecond = reportsEverySecond
        devices[devices.count - 1].lastUse = useCount
        return devices.count - 1
    }

    /// Drops a device that has not changed; the last one takes its index.
    private mutating func remove(_ index: Int) {
        let last = devices.count - 1
        let waiting = UInt64(devices[index].sequence.waitingCount)
        tally.waiting &-= waiting
        tally.parked &+= waiting
        let silence = devices[index].silence
        if silence != .standsIn { asleep[devices[index].device] = (devices[index].lastMessageAt ?? now, silence) }
        indices[devices[index].device] = nil
        if index != last { indices[devices[last].device] = index }
        devices.swapAt(index, last)
        devices.removeLast()
    }

    private mutating func drainReports() {
        for index in touched {
            devices[index].drainReports(now: now, deviceCount: devices.count, into: &live)
            devices[index].isTouched = false
        }
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func markChanged(_ index: Int) {
        if !devices[index].isTouched {
            devices[index].isTouched = true
            touched.append(index)
        }
        guard !devices[index].isChanged else { return }
        devices[index].isChanged = true
        changed.append(Change(device: devices[index].device, place: place))
    }
}

/// A place in the counter's log: what follows from the records up to here is counted, and nothing beyond.
package struct LogPlace: Sendable {
    /// The last record that is counted.
    package var position: UInt64 = 0
    /// The bytes of motion and configs up to here since the start.
    package var byteCount = 0
    /// The time on the counter's clock.
    package var microseconds: Int64 = 0
}
