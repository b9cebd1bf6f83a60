import Synchronization
import Wire

@testable import History

/// A store that fails or waits as a test says, and else is the real one.
final class ScriptedStore: HistoryStore {
    private struct Script {
        var failures: [HistoryError] = []
        var hasFailed = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var isGateClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    let store: any HistoryStore
    private let script = Mutex(Script())

    init(_ store: any HistoryStore) {
        self.store = store
    }

    /// The next commits fail with these errors.
    func failCommits(_ failures: [HistoryError]) { script.withLock { $0.failures = failures } }

    /// Returns when a commit has failed.
    func commitFails() async {
        for await _ in script.withLock(\.hasFailed.stream) { return }
    }

    /// Sums wait from now on.
    func closeGate() { script.withLock { $0.isGateClosed = true } }

    /// Returns when a sum waits at the closed gate.
    func someoneWaits() async {
        await withCheckedContinuation { watcher in
            let isWaiting = script.withLock { script in
                if script.waiting.isEmpty { script.watchers.append(watcher) }
                return !script.waiting.isEmpty
            }
            if isWaiting { watcher.resume() }
        }
    }

    /// Sums go on.
    func openGate() {
        let waiting = script.withLock { script in
            script.isGateClosed = false
            defer { script.waiting = [] }
            return script.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func identity() async throws(HistoryError) -> UInt64 { try await store.identity() }

    func cursors() async throws(HistoryError) -> [ChainCursor] { try await store.cursors() }

    func commit(_ changes: HistoryChanges, nowSeconds: Int64) async throws(HistoryError) -> CommitOutcome {
        let failure = script.withLock { script -> HistoryError? in
            guard !script.failures.isEmpty, !changes.isEmpty else { return nil }
            script.hasFailed.continuation.yield()
            return script.failures.removeFirst()
        }
        if let failure { throw failure }
        return try await store.commit(changes, nowSeconds: nowSeconds)
    }

    func device(_ device: DeviceID) async throws(HistoryError) -> DeviceRecord? { try await store.device(device) }

    func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [DeviceRecord] {
        try await store.devices(after: device, limit: limit)
    }

    func days(of device: DeviceID, from first: LocalDate, to end: LocalDate) async throws(HistoryError) -> [DayRecord] {
        try await store.days(of: device, from: first, to: end)
    }

    func sums(of device: DeviceID, in ranges: [Range<Int64>]) async throws(HistoryError) -> [CountSum] {
        await passGate()
        return try await store.sums(of: device, in: ranges)
    }

    private func passGate() async {
        await withCheckedContinuation { continuation in
            let (goesOn, watchers) = script.withLock { script in
                guard script.isGateClosed else { return (true, [CheckedContinuation<Void, Never>]()) }
                script.waiting.append(continuation)
                defer { script.watchers = [] }
                return (false, script.watchers)
            }
            if goesOn { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
    }

    func standings(
        of devices: [DeviceID], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DeviceStanding] {
        try await store.standings(of: devices, from: first, to: end)
    }

    func device(
        _ device: DeviceID, withDaysFrom first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> (record: DeviceRecord, days: [DayRecord])? {
        try await store.device(device, withDaysFrom: first, to: end)
    }

    func minutes(
        of device: DeviceID, in range: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [MinuteRecord] {
        try await store.minutes(of: device, in: range, limit: limit)
    }

    func compact(_ device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        try await store.compact(device, before: horizon)
    }

    func dropEmptyMonths(before horizon: Int64) async throws(HistoryError) -> Int {
        try await store.dropEmptyMonths(before: horizon)
    }

    func compactableMinutes(of device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        try await store.compactableMinutes(of: device, before: horizon)
    }

    func begin(_ forgettings: [Forgetting], person: String?) async throws(HistoryError) -> [Forgetting] {
        try await store.begin(forgettings, person: person)
    }

    func forgettings(limit: Int) async throws(HistoryError) -> [Forgetting] {
        try await store.forgettings(limit: limit)
    }

    func noteDone(_ forgetting: Forgetting) async throws(HistoryError) { try await store.noteDone(forgetting) }

    func end(_ forgetting: Forgetting) async throws(HistoryError) { try await store.end(forgetting) }

    func deleteSome(of device: DeviceID) async throws(HistoryError) -> Int { try await store.deleteSome(of: device) }

    func deleteRest(of device: DeviceID) async throws(HistoryError) { try await store.deleteRest(of: device) }

    func eraseSome(
        of device: DeviceID, in range: Range<Int64>
    ) async throws(HistoryError) -> (count: Int, next: Int64) {
        try await store.eraseSome(of: device, in: range)
    }

    func startLease(_ offer: LeaseOffer, nowSeconds: Int64) async throws(HistoryError) -> LiveLease? {
        try await store.startLease(offer, nowSeconds: nowSeconds)
    }

    func stopLease(of device: DeviceID, topic: [UInt8]) async throws(HistoryError) -> Bool {
        try await store.stopLease(of: device, topic: topic)
    }

    func endLease(_ lease: LiveLease) async throws(HistoryError) -> Bool { try await store.endLease(lease) }

    func dueLeases(limit: Int) async throws(HistoryError) -> [LiveLease] { try await store.dueLeases(limit: limit) }

    func noteSent(_ lease: LiveLease, number: Int64) async throws(HistoryError) {
        try await store.noteSent(lease, number: number)
    }

    func endLeases(nowSeconds: Int64) async throws(HistoryError) -> Int {
        try await store.endLeases(nowSeconds: nowSeconds)
    }

    func prolongLeases(nowSeconds: Int64) async throws(HistoryError) {
        try await store.prolongLeases(nowSeconds: nowSeconds)
    }

    func assign(_ assignment: Assignment) async throws(HistoryError) -> Bool { try await store.assign(assignment) }

    func unassign(_ device: DeviceID, person: String?, at minute: Int64) async throws(HistoryError) -> Assignment? {
        try await store.unassign(device, person: person, at: minute)
    }

    func assignments(of person: String) async throws(HistoryError) -> [Assignment] {
        try await store.assignments(of: person)
    }

    func assignments(of device: DeviceID) async throws(HistoryError) -> [Assignment] {
        try await store.assignments(of: device)
    }

    func people(after person: String?, limit: Int) async throws(HistoryError) -> [String] {
        try await store.people(after: person, limit: limit)
    }

    func close() async { await store.close() }
}
