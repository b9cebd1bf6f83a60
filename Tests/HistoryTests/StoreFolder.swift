import ServiceKit
import PrivatePostgres
import Synchronization
import TestBroker
import Testing
import Wire

@testable import History

/// A folder for one test's store, with a database of the private server where one is asked for.
final class StoreFolder: Sendable {
    private let folder = TemporaryFolder()
    private let database = Mutex<PostgresAddress?>(nil)
    var path: String { folder.path }

    /// The same store at every call: a file of the folder, or a database of the private server.
    func store(
        _ kind: StoreKind, maximumDevices: Int = 100_000
    ) async throws -> HistoryStore {
        switch kind {
        case .sqlite:
            return try .sqlite(directory: path, maximumDevices: maximumDevices)
        case .postgres:
            // The server lets go of the lock of a store that was closed a moment after its connection.
            let deadline = ContinuousClock.now + .seconds(2)
            while true {
                do {
                    return try await .postgres(await address(), maximumDevices: maximumDevices, limits: .few)
                } catch HistoryError.store(.alreadyInUse) where ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    /// The address of the folder's database, made at the first call.
    func address() async throws -> PostgresAddress {
        if let known = database.withLock({ $0 }) { return known }
        let address = try await PrivatePostgres.shared().database()
        database.withLock { $0 = address }
        return address
    }

    func store() throws -> HistoryStore {
        try .sqlite(directory: path)
    }
}

extension MinuteRow {
    /// A minute that samples cover as a whole; `change` says more of it.
    init(
        _ device: DeviceID, _ minute: Int64, epoch: UInt64 = 1, revision: UInt64 = 1, steps: Int64 = 0,
        revolutions: Int64 = 0, _ change: (inout MinuteRow) -> Void = { _ in }
    ) {
        self.init(device: device, minute: minute, epoch: epoch, revision: revision)
        (self.steps, self.revolutions, self.coveredMilliseconds) = (steps, revolutions, 60_000)
        change(&self)
    }

    /// Somebody moves all the minute, at the cadence that its counts come to.
    mutating func moveEvenly() {
        let perMinute = Double(max(self.steps, self.revolutions))
        self.activeMilliseconds = self.coveredMilliseconds
        cadence = RateSum(integral: perMinute * 60, seconds: 60, minimum: perMinute, maximum: perMinute)
    }
}

extension HistoryStore {
    /// Commits rows and nothing else.
    @discardableResult
    func keep(_ rows: [MinuteRow]) async throws -> CommitOutcome {
        try await commit(HistoryChanges(rows: rows), nowSeconds: 0)
    }

    /// Tells a device's settings, or that there are none any more.
    func set(_ device: DeviceID, _ settings: DeviceSettings?, nowSeconds: Int64 = 0) async throws {
        let changes = HistoryChanges(settings: [SettingsChange(device: device, settings: settings)])
        _ = try await commit(changes, nowSeconds: nowSeconds)
        _ = try await makeDue(days: .max, nowMinute: nowSeconds / 60)
    }

    func setZone(_ device: DeviceID, _ zone: String, nowSeconds: Int64) async throws {
        try await set(device, DeviceSettings(zone: zone), nowSeconds: nowSeconds)
    }

    /// One device with all its days.
    func snapshot(of device: DeviceID) async throws -> SubjectSnapshot? {
        try await snapshot(of: .device(device), from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
    }

    func sums(of device: DeviceID, in ranges: [Range<Int64>]) async throws -> [CountSum] {
        try await sums(of: .device(device), in: ranges)
    }

    func minutes(of device: DeviceID, in range: Range<Int64>) async throws -> [TracedMinute] {
        try await tracedMinutes(of: .device(device), in: [range])[0]
    }

    func compact(_ device: DeviceID, before horizon: Int64) async throws -> Int {
        try await compact(.device(device), before: horizon)
    }

    /// Assigns a device to a person, and merges what has to be merged then.
    func checkIn(_ assignment: Assignment) async throws -> ReplyError? {
        let refusal = try await assign(assignment)
        _ = try await makeDue(days: .max, nowMinute: assignment.minutes.lowerBound)
        return refusal
    }

    /// The same where nothing stands against it.
    func checkIn(
        _ person: String, _ device: DeviceID, _ minutes: Range<Int64>, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let refusal = try await checkIn(Assignment(person: person, device: device, minutes: minutes))
        #expect(refusal == nil, sourceLocation: location)
    }

    /// Erases a range of a device, or the device whole.
    @discardableResult
    func erase(_ device: DeviceID, in range: Range<Int64>, isWhole: Bool = false) async throws -> Int {
        var (minutes, changed) = (0, Set<Subject>())
        for erasure in try await begin([Erasure(device: device, minutes: range, isWhole: isWhole)]) {
            minutes += try await carryOut(erasure, changed: &changed)
        }
        return minutes
    }

    /// Every day of a device.
    func allDays(of device: DeviceID) async throws -> [DayRecord] {
        try await days(of: .device(device), from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
    }
}

extension HistoryStore {
    /// Keeps the name under which the wall shows a person; nil for none.
    /// - Returns: Why it is not kept.
    func keep(alias: String?, of person: String) async throws -> ProfileRefusal? {
        switch try await keep(PersonProfile(alias: alias ?? ""), of: person) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    /// The minutes of which seconds are known.
    func traces(of subject: Subject, in minutes: Range<Int64>) async throws -> [(minute: Int64, trace: Trace)] {
        try await tracedMinutes(of: subject, in: [minutes])[0].compactMap { minute in
            minute.trace.map { (minute.minute, $0) }
        }
    }
}
