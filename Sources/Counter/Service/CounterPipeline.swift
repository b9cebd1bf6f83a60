import Motion
package import Wire

/// Counts: records in, states, minute increments and live outputs out. It has no clock and does no I/O.
///
/// The caller keeps records in a log until what they made is stored: `takeCommit()` gives that, for one transaction.
/// What `takeLive()` gives may be published when the records are in the log. A record given again is recognised by its
/// device's state.
package struct CounterPipeline: Sendable {
    package let limits: CounterLimits
    package private(set) var tally = CounterTally()

    /// A device that changed, and the place in the log of the first change that is not stored.
    private struct Change {
        var device: DeviceID
        var place: LogPlace
    }

    /// Whether the cadence of every second is published; else the newest of each commit, and those of stops and starts.
    private let reportsEverySecond: Bool
    /// The zone of devices whose config names none.
    private let zone: String
    /// Every device that is known. What is asked often is asked in place, by the array's span or a mutating method: a getter
    /// of a device copies it, with a hundred references.
    private var devices: [DeviceCounter] = []
    private var indices: [DeviceID: Int] = [:]
    /// What the configs say of devices of which nothing else is known.
    private var settings: [DeviceID: DeviceSettings] = [:]
    /// The devices that are not settled.
    private var awake: [Int] = []
    /// The devices that changed since they were stored, in the order of their first changes.
    private var changed: [Change] = []
    /// The place in the log of the record that is being counted.
    package var place: LogPlace
    /// The last record whose minutes the store has, or is given. At a start it is ahead of `place`: what is counted up to
    /// there is in the minutes already.
    package private(set) var rowsThrough: UInt64
    /// Devices that may have live reports.
    private var touched: [Int] = []
    private var live: [LiveOutput] = []
    private var scratch = SignalScratch()
    /// Devices with refused messages alone.
    private var refusedDevices = 0
    /// Devices for which there is no room, and which were told so; at most `maximumRefusedDevices`.
    private var turnedAway: Set<DeviceID> = []
    package private(set) var signalCount = 0

    /// The arrivals that are accepted, in microseconds since 1970: until 2^53, in the year 2255.
    static let arrivals: ClosedRange<Int64> = 0...1 << 53

    /// A pipeline that has seen nothing.
    package init(
        limits: CounterLimits = CounterLimits(), reportsEverySecond: Bool = false, zone: String = "UTC",
        place: LogPlace = LogPlace(), rowsThrough: UInt64 = 0
    ) {
        (self.limits, self.zone, self.place, self.rowsThrough) = (limits, zone, place, rowsThrough)
        self.reportsEverySecond = reportsEverySecond
    }

    /// Gives a device's stored state and config back, at a start.
    ///
    /// - Parameter position: the last record of the log that the state follows from.
    /// - Returns: false where the bytes are damaged: the device is then counted anew. A part of another version begins
    /// anew.
    package mutating func restore(
        device: DeviceID, state: [UInt8], position: UInt64 = 0, config: DeviceConfig?
    ) -> Bool {
        let settings = DeviceSettings(config, defaultZone: zone)
        guard var counter = DeviceCounter(device: device, settings: settings, state: state) else {
            tally.damagedStates &+= 1
            insert(DeviceCounter(device: device, settings: settings))
            return false
        }
        if counter.sectionsBegunAnew > 0 { tally.partialStates &+= 1 }
        // A start knows many: the array does not move each time it has grown. What is not used takes no memory.
        if devices.isEmpty { devices.reserveCapacity(limits.maximumDevices) }
        counter.storedThrough = position
        counter.adopt(settings, scratch: &scratch)
        tally.received &+= UInt64(counter.sequence.waitingCount)
        tally.waiting &+= UInt64(counter.sequence.waitingCount)
        let index = insert(counter)
        if !counter.ledger.increments.isEmpty { markChanged(index) }
        return true
    }

    /// Takes the config of a device; it holds from its next frame on. A config alone makes no device, unless there is a
    /// mistake in it: then the device becomes known, so that its health tells it.
    ///
    /// - Returns: False where it works with it already: the broker sends all configs with each connection.
    @discardableResult
    package mutating func configure(device: DeviceID, _ config: DeviceConfig?) -> Bool {
        let settings = DeviceSettings(config, defaultZone: zone)
        guard let index = settings.problem == nil ? indices[device] : findOrAdd(device) else {
            return remember(config == nil ? nil : settings, of: device)
        }
        let old = (settings: devices.span[index].settings, problem: devices.span[index].health.configProblem)
        guard settings != old.settings || settings.problem != old.problem else { return false }
        change(index) { $0.configure(settings, scratch: &$1) }
        markChanged(index)
        return true
    }

    /// Keeps the settings of a device that is not known; false where they are kept already.
    private mutating func remember(_ new: DeviceSettings?, of device: DeviceID) -> Bool {
        let old = settings[device]
        if new == nil || old != nil || settings.count < limits.maximumDevices { settings[device] = new }
        return new != old
    }

    /// Notes a config that cannot be read; the one before stays in force.
    package mutating func refuseConfig(_ reason: WireError, _ problem: String, of device: DeviceID) {
        guard let index = findOrAdd(device) else { return }
        devices[index].health.refuse(reason, count: 1)
        devices[index].health.configProblem = "the config is refused: \(problem)"
        markChanged(index)
    }

    /// True at a start for a record of the log that follows a device's stored state already.
    func hasCounted(_ logPosition: UInt64?, _ device: DeviceID) -> Bool {
        guard let logPosition, let index = indices[device] else { return false }
        return devices.span[index].storedThrough >= logPosition
    }

    /// Takes a record.
    ///
    /// - Parameter logPosition: the record's position in the log, at a start: a device whose stored state follows from
    ///   it already does not count it again.
    package mutating func accept(_ record: MotionRecord, replayedFrom logPosition: UInt64? = nil) {
        if hasCounted(logPosition, record.device) { return }
        if let record = record.withoutAbsurdTime { return accept(record, replayedFrom: logPosition) }
        tally.received &+= 1
        guard record.isWithinBounds, admits(record), let index = findOrAdd(record.device) else {
            return tally.refused &+= 1
        }
        if case .refusal = record.content { tally.refused &+= 1 }
        markChanged(index)
        // A start has room for what was counted before it.
        if logPosition == nil, record.content.hasSamples, signalCount >= limits.maximumSignals,
            !devices.span[index].hasSignal
        {
            devices[index].health.refuse(.tooManyDevices, count: 1)
            return tally.refused &+= 1
        }
        devices[index].lastMessageAt = place.microseconds > 0 ? place.microseconds : record.arrivalMicroseconds
        devices[index].silence = .notSilent
        wake(index)
        change(index) { $0.accept(record, scratch: &$1) }
    }

    /// Finds devices from whose silence something follows by now. Call it a few times a second, with a clock that only needs
    /// to run on: each call finds a part of them where they are many.
    package mutating func findSilent(nowMicroseconds: Int64) -> LogRecord.SilentDevices {
        let now = nowMicroseconds
        place.microseconds = now
        var silence = LogRecord.SilentDevices(nowMicroseconds: now, devices: [])
        for index in awake where silence.devices.count < limits.maximumSilentAtOnce {
            if let since = devices[index].findSilence(now: now) {
                silence.devices.append(.init(device: devices.span[index].device, since: since))
            }
        }
        awake = awake.filter { devices.span[$0].isAwake }
        return silence
    }

    /// Does what follows from the silence of devices.
    package mutating func accept(_ silence: LogRecord.SilentDevices, replayedFrom logPosition: UInt64? = nil) {
        for silent in silence.devices {
            guard let index = indices[silent.device], !hasCounted(logPosition, silent.device) else { continue }
            devices[index].lastMessageAt = silent.since
            if change(index, { $0.fallSilent(now: silence.nowMicroseconds, scratch: &$1) }) { markChanged(index) }
        }
    }

    /// The caller was held up, or begins: nothing could come until now, and silence is measured from here.
    package mutating func measureSilence(from nowMicroseconds: Int64) {
        place.microseconds = nowMicroseconds
        for index in awake { devices[index].lastMessageAt = nowMicroseconds }
    }

    /// The last live reports before a restart are unknown: the next ones of each device are published again, and at once the
    /// health of those whose messages were counted once more, which may never have been told.
    mutating func repeatAfterRestart() {
        for index in changed.compactMap({ indices[$0.device] }) {
            devices[index].health.repeatAfterRestart()
            touch(index)
        }
        for index in awake where devices.span[index].silence != .settled {
            devices[index].reports.repeatAfterRestart()
            devices[index].silence = .notSilent
        }
    }

    /// Forgets a device, as if it had never come; its config stays. Call it after a commit.
    package mutating func forget(_ device: DeviceID) {
        drainReports()
        turnedAway.remove(device)
        guard let index = indices[device], !devices.span[index].isChanged else { return }
        if devices[index].settings != DeviceSettings(nil, defaultZone: zone) {
            settings[device] = devices[index].settings
        }
        remove(index)
    }

    /// Counts what is held back for every device, as at the end of a recording.
    package mutating func finish() {
        for index in devices.indices {
            change(index) { $0.finish(scratch: &$1) }
            markChanged(index)
        }
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
            commit.increments += devices.span[index].ledger.increments
            let device = devices.span[index].device
            commit.words += devices.span[index].words.map { WordRow(device: device, word: $0) }
        }
        devices[index].forgetRows()
    }

    /// The devices that changed first, for one transaction.
    ///
    /// - Parameters:
    ///   - limit: the most devices, of those that need not be in it.
    ///   - needed: devices that must be in it if they changed.
    ///   - commit: what is in the transaction already.
    package mutating func takeCommit(
        atMost limit: Int = .max, with needed: Set<DeviceID> = [], beside commit: CounterCommit = CounterCommit()
    ) -> CounterCommit {
        var commit = commit
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

    /// Notes what of a commit changed nothing, so that the device's health tells it.
    package mutating func note(_ outcomes: [StoringOutcome]) {
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

    /// The fate of a device's messages, from its stored state; `nil` where that is damaged.
    package static func messageCounts(in state: [UInt8], of device: DeviceID) -> MessageCounts? {
        DeviceCounter(device: device, settings: DeviceSettings(), state: state)?.sequence.counts
    }
}

// MARK: - Devices

extension CounterPipeline {
    /// Whether a record may create a device. Refusals alone must not use up the places of devices that can be counted
    /// and whose first message may come later: at most `maximumRefusedDevices` do, and none that ingest refused as one too
    /// many.
    private mutating func admits(_ record: MotionRecord) -> Bool {
        guard case .refusal(let reason, _) = record.content, indices[record.device] == nil else { return true }
        guard reason != .tooManyDevices else {
            turnAway(record.device)
            return false
        }
        guard refusedDevices < limits.maximumRefusedDevices else { return false }
        refusedDevices += 1
        return true
    }

    private mutating func change<Result>(
        _ index: Int, _ body: (inout DeviceCounter, inout SignalScratch) -> Result
    ) -> Result {
        devices[index].change(&tally, &signalCount) { body(&$0, &scratch) }
    }

    /// The index of a device, which becomes known if it was not; `nil` where there are too many.
    private mutating func findOrAdd(_ device: DeviceID) -> Int? {
        if let index = indices[device] { return index }
        guard devices.count < limits.maximumDevices else {
            turnAway(device)
            return nil
        }
        let settings = settings.removeValue(forKey: device) ?? DeviceSettings(nil, defaultZone: zone)
        return insert(DeviceCounter(device: device, settings: settings))
    }

    /// Tells a device for which there is no room, once, in its health.
    private mutating func turnAway(_ device: DeviceID) {
        guard turnedAway.count < limits.maximumRefusedDevices, turnedAway.insert(device).inserted else { return }
        live.append(LiveOutput(device: device, payload: .health(.turnedAway(at: place.microseconds))))
    }

    @discardableResult
    private mutating func insert(_ counter: DeviceCounter) -> Int {
        let index = devices.count
        indices[counter.device] = index
        devices.append(counter)
        devices[index].reports.reportsEverySecond = reportsEverySecond
        if counter.hasSignal { signalCount += 1 }
        if !counter.isSettled { wake(index) }
        tally.devices = UInt64(devices.count)
        return index
    }

    private mutating func wake(_ index: Int) {
        guard !devices.span[index].isAwake else { return }
        devices[index].isAwake = true
        awake.append(index)
    }

    /// Drops a device that has not changed; the last one takes its index.
    private mutating func remove(_ index: Int) {
        tally.waiting &-= UInt64(devices[index].sequence.waitingCount)
        if devices.span[index].hasSignal { signalCount -= 1 }
        let last = devices.count - 1
        indices[devices[index].device] = nil
        if index != last { indices[devices[last].device] = index }
        devices.swapAt(index, last)
        devices.removeLast()
        awake = devices.indices.filter { devices.span[$0].isAwake }
        tally.devices = UInt64(devices.count)
    }

    private mutating func drainReports() {
        for index in touched {
            devices[index].drainReports(now: place.microseconds, deviceCount: awake.count, into: &live)
            devices[index].isTouched = false
        }
        touched.removeAll(keepingCapacity: true)
    }

    private mutating func touch(_ index: Int) {
        guard !devices.span[index].isTouched else { return }
        devices[index].isTouched = true
        touched.append(index)
    }

    private mutating func markChanged(_ index: Int) {
        touch(index)
        guard !devices.span[index].isChanged else { return }
        devices[index].isChanged = true
        changed.append(Change(device: devices.span[index].device, place: place))
    }
}

extension MotionContent {
    /// Whether a signal follows from it.
    fileprivate var hasSamples: Bool { if case .frame(let frame) = self { !frame.sensors.isEmpty } else { false } }
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
