import ServiceKit
import Synchronization
package import Wire

/// The data of history, in SQLite's file or on a PostgreSQL server, through the same statements.
///
/// A commit is all or nothing and survives a loss of power once it has returned; only then may the messages that it
/// came from be acknowledged. One writer is at work at a time, in a file as on a server. Minutes are minutes since 1970, UTC.
package final class HistoryStore: Sendable {
    /// The layout of the tables that this program reads and writes.
    package static let storeVersion = Int(StoreSchema.version)

    package let database: any SQLDatabase
    /// A line for the operator about the opening; `nil` in the usual case.
    package let openingNote: String?
    let defaultZone: DayCalendar
    let maximumDevices: Int
    /// The rides of people's weeks, as they were last counted.
    let countedRides = Mutex<[Subject: CountedRides]>([:])

    /// A store over a database whose tables are there.
    package init(
        _ database: any SQLDatabase, defaultZone: DayCalendar, maximumDevices: Int = 100_000,
        openingNote: String? = nil
    ) {
        self.database = database
        self.defaultZone = defaultZone
        self.maximumDevices = maximumDevices
        self.openingNote = openingNote
    }

    /// Ends all work. Later calls throw `HistoryError.closed`.
    package func close() async { await database.close() }

    /// Keeps rows, chains and settings in one transaction.
    /// - Parameters:
    ///   - changes: The changes.
    ///   - nowSeconds: The time, in seconds since 1970: days that are not over follow a new zone, days that are do not.
    ///   - watch: Where it is noted which row is worked on.
    package func commit(
        _ changes: HistoryChanges, nowSeconds: Int64, watch: CommitWatch? = nil
    ) async throws(HistoryError) -> CommitOutcome {
        guard !changes.isEmpty else { return CommitOutcome() }
        let (defaultZone, maximumDevices) = (defaultZone, maximumDevices)
        return try await database.write { session in
            var commit = StoreCommit(
                session, defaultZone: defaultZone, nowMinute: nowSeconds / 60, maximumSubjects: maximumDevices,
                watch: watch)
            return try commit.apply(changes)
        }
    }

    /// Keeps each of some changes by itself where it must be: what the database refuses is left out, as long as it takes
    /// anything. The positions of chains come last, so that nothing else is left out unseen.
    /// - Parameter leftOut: Called with what is left out and why; it is counted as refused.
    package func commitInParts(
        _ changes: HistoryChanges, nowSeconds: Int64, leftOut: (String, HistoryError) -> Void
    ) async throws(HistoryError) -> CommitOutcome {
        var outcome = CommitOutcome()
        for part in changes.parts {
            do throws(HistoryError) {
                outcome += try await commit(part, nowSeconds: nowSeconds)
            } catch {
                guard case .store(.database) = error else { throw error }
                try await database.write { session in
                    _ = try session.change("UPDATE schema_version SET version = version")
                }
                leftOut(part.subject, error)
                outcome.refusedRows += 1
            }
        }
        outcome += try await commit(HistoryChanges(cursors: changes.cursors), nowSeconds: nowSeconds)
        return outcome
    }
}

/// The changes of one commit.
package struct HistoryChanges: Sendable, Equatable {
    /// Minute rows in the order of arrival.
    package var rows: [MinuteRow] = []
    /// Words of intervals in the order of arrival.
    package var words: [WordRow] = []
    /// Chains that have moved on.
    package var cursors: [ChainCursor] = []
    /// Settings of devices; the last one of a device wins.
    package var settings: [SettingsChange] = []
    /// Roles of users, in the order of arrival.
    package var roles: [RoleChange] = []
    /// Marks of devices.
    package var marks: [MarkRow] = []

    package init(
        rows: [MinuteRow] = [], words: [WordRow] = [], cursors: [ChainCursor] = [],
        settings: [SettingsChange] = [], roles: [RoleChange] = [], marks: [MarkRow] = []
    ) {
        (self.rows, self.words, self.marks) = (rows, words, marks)
        (self.cursors, self.settings, self.roles) = (cursors, settings, roles)
    }

    static func += (all: inout HistoryChanges, other: HistoryChanges) {
        all.rows += other.rows
        all.words += other.words
        all.settings += other.settings
        all.roles += other.roles
        all.marks += other.marks
    }

    /// Each change by itself, but cursors, in the order in which a commit keeps them.
    var parts: [HistoryChanges] {
        settings.map { HistoryChanges(settings: [$0]) } + rows.map { HistoryChanges(rows: [$0]) }
            + words.map { HistoryChanges(words: [$0]) } + roles.map { HistoryChanges(roles: [$0]) }
            + marks.map { HistoryChanges(marks: [$0]) }
    }

    /// What one change is about, for the log.
    var subject: String {
        rows.first?.subject ?? words.first?.subject ?? settings.first.map { "the config of \($0.device)" }
            ?? roles.first.map { "the role of \($0.user)" } ?? marks.first.map { "a mark of \($0.subject.name)" } ?? ""
    }

    /// True if a commit would change nothing.
    package var isEmpty: Bool {
        rows.isEmpty && words.isEmpty && cursors.isEmpty && settings.isEmpty && roles.isEmpty
            && marks.isEmpty
    }
}

/// A device's new settings; `nil` puts the defaults back.
package struct SettingsChange: Sendable, Equatable {
    package var device: DeviceID
    package var settings: DeviceSettings?
}

/// The outcome of a commit.
package struct CommitOutcome: Sendable, Equatable {
    /// Rows of minutes and words that were new or newer.
    package var appliedRows = 0
    /// Rows that were known already.
    package var repeatedRows = 0
    /// Rows and settings of devices beyond the limit.
    package var refusedRows = 0
    /// Rows of minutes and words that are older than those kept, by device.
    package var late: [DeviceID: Int] = [:]
    package var lateRows: Int { late.values.reduce(0, +) }
    /// Rows of minutes that were erased.
    package var erasedRows = 0
    /// Devices and people with other totals, or another day, than before.
    package var changedSubjects: Set<Subject> = []
    /// Devices and people that have moved.
    package var movedSubjects: Set<Subject> = []
    /// Devices with new marks, and the people who had them then.
    package var markedSubjects: Set<Subject> = []
    /// Roles that are others than before.
    package var changedRoles: [RoleChange] = []

    /// Nothing done.
    package init() {}

    static func += (all: inout CommitOutcome, other: CommitOutcome) {
        all.appliedRows += other.appliedRows
        all.repeatedRows += other.repeatedRows
        all.refusedRows += other.refusedRows
        all.late.merge(other.late, uniquingKeysWith: +)
        all.erasedRows += other.erasedRows
        all.changedSubjects.formUnion(other.changedSubjects)
        all.movedSubjects.formUnion(other.movedSubjects)
        all.markedSubjects.formUnion(other.markedSubjects)
        all.changedRoles += other.changedRoles
    }
}
