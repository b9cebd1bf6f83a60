public import Wire

/// Where history is kept.
///
/// A commit is all or nothing and survives a loss of power once it has returned; only then may the messages that it
/// came from be acknowledged. Rows are states: the greater revision wins, in whatever order and however often they
/// come, so that several histories may write to one store. Minutes are minutes since 1970, UTC.
public protocol HistoryStore: Sendable {
    /// The store's own number, chosen when it was begun: two histories with the same one share their rows.
    func identity() async throws(HistoryError) -> UInt64

    /// Whether other histories may write to it too, so that something may change that nobody here has heard of.
    var isShared: Bool { get }

    /// How far the chain of each counter is known without a gap.
    func cursors() async throws(HistoryError) -> [ChainCursor]

    /// Keeps rows, cursors and device settings in one transaction.
    /// - Parameters:
    ///   - changes: What to keep.
    ///   - nowSeconds: The time, in seconds since 1970; days that are not over follow a new zone, days that are do not.
    func commit(_ changes: HistoryChanges, nowSeconds: Int64) async throws(HistoryError) -> CommitOutcome

    /// One device; nil if nothing was ever kept about it.
    func device(_ device: DeviceID) async throws(HistoryError) -> DeviceRecord?

    /// Devices by their ids, beginning after one of them.
    func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [DeviceRecord]

    /// The days of a device from one date up to another, which is not included; only those that have data.
    func days(of device: DeviceID, from first: LocalDate, to end: LocalDate) async throws(HistoryError) -> [DayRecord]

    /// What some devices have come to, with their days from one date up to another, which is not included. Devices of
    /// which nothing was ever kept are left out.
    func standings(
        of devices: [DeviceID], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DeviceStanding]

    /// One device with its days from one date up to another, which is not included; nil if nothing was ever kept about
    /// it.
    func device(
        _ device: DeviceID, withDaysFrom first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> (record: DeviceRecord, days: [DayRecord])?

    /// What was counted in each of some ranges of minutes, which must be in order and not overlap.
    func sums(of device: DeviceID, in ranges: [Range<Int64>]) async throws(HistoryError) -> [CountSum]

    /// The minutes of a device in a range that have data, in their order, at most so many; hours where there are no
    /// minutes any more.
    func minutes(of device: DeviceID, in range: Range<Int64>, limit: Int) async throws(HistoryError) -> [MinuteRecord]

    /// Makes hours of the oldest local day of a device that has minutes and ends before a horizon, in one transaction.
    /// Rows of these minutes that come later are refused.
    /// - Returns: How many minutes are gone; 0 when there is no such day.
    func compact(_ device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int

    /// Gives the room of months back that are over before a horizon and have no minutes any more.
    /// - Returns: How many months that were.
    func dropEmptyMonths(before horizon: Int64) async throws(HistoryError) -> Int

    /// How many minutes `compact` would make hours of, until there is nothing left to do. Nothing changes.
    func compactableMinutes(of device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int

    /// Notes what is to be forgotten, and forgets whose a person's devices were, in one transaction. What was noted
    /// before of a device that is to be forgotten whole is taken back.
    /// - Returns: The same with their numbers.
    func begin(_ forgettings: [Forgetting], person: String?) async throws(HistoryError) -> [Forgetting]

    /// What was begun and not ended on this bus, at most so many, in order.
    func forgettings(limit: Int) async throws(HistoryError) -> [Forgetting]

    /// Notes that this store has forgotten it.
    func noteDone(_ forgetting: Forgetting) async throws(HistoryError)

    /// Notes that there is nothing left to do.
    func end(_ forgetting: Forgetting) async throws(HistoryError)

    /// Deletes some of the minutes and hours of a device, in one transaction.
    /// - Returns: How many are gone; 0 when there are none any more.
    func deleteSome(of device: DeviceID) async throws(HistoryError) -> Int

    /// Deletes what is left of a device that has no minutes and hours any more.
    func deleteRest(of device: DeviceID) async throws(HistoryError)

    /// Empties the first minutes of a device in a range, in one transaction; see `erase(_:in:)`.
    /// - Returns: How many there were, and the minute to go on from.
    func eraseSome(of device: DeviceID, in range: Range<Int64>) async throws(HistoryError) -> (count: Int, next: Int64)

    /// Begins a lease, or renews the one of the device and topic if it is wished as it is. Counting begins with the
    /// next commit; what was counted since `offer.startMinute` is counted here.
    /// - Returns: The lease; nil if there are too many.
    func startLease(_ offer: LeaseOffer, nowSeconds: Int64) async throws(HistoryError) -> LiveLease?

    /// Ends a lease.
    /// - Returns: Whether there was one.
    func stopLease(of device: DeviceID, topic: [UInt8]) async throws(HistoryError) -> Bool

    /// Ends a lease that nobody hears, unless it has been renewed or replaced since it was read.
    /// - Returns: Whether it was ended.
    func endLease(_ lease: LiveLease) async throws(HistoryError) -> Bool

    /// Leases with notices that are due, at most so many.
    func dueLeases(limit: Int) async throws(HistoryError) -> [LiveLease]

    /// Notes that the broker has a lease's notices up to a number.
    func noteSent(_ lease: LiveLease, number: Int64) async throws(HistoryError)

    /// Ends the leases that have expired.
    /// - Returns: How many.
    func endLeases(nowSeconds: Int64) async throws(HistoryError) -> Int

    /// Gives every lease its whole time once more.
    func prolongLeases(nowSeconds: Int64) async throws(HistoryError)

    /// Makes a device a person's for a stretch of time, in which it is nobody else's.
    /// - Returns: Whether it was kept; not if there are too many of the device.
    func assign(_ assignment: Assignment) async throws(HistoryError) -> Bool

    /// Ends the check-in that a device has at a minute, whoever it is of, or only of a person.
    /// - Returns: The check-in as it is now; nil if there is none.
    func unassign(_ device: DeviceID, person: String?, at minute: Int64) async throws(HistoryError) -> Assignment?

    /// The devices of a person, in the order of their beginnings.
    func assignments(of person: String) async throws(HistoryError) -> [Assignment]

    /// The people of a device, in the order of their beginnings.
    func assignments(of device: DeviceID) async throws(HistoryError) -> [Assignment]

    /// People by their names, beginning after one of them.
    func people(after person: String?, limit: Int) async throws(HistoryError) -> [String]

    /// Ends all work with the store. Later calls throw `HistoryError.closed`.
    func close() async
}

extension HistoryStore {
    /// A store that is ours alone.
    public var isShared: Bool { false }

    /// A store that fills the room of old minutes with new ones has nothing to do.
    public func dropEmptyMonths(before horizon: Int64) async throws(HistoryError) -> Int { 0 }
}

/// How far history knows the chain of messages of one life of a counter's store.
public struct ChainCursor: Sendable, Hashable {
    /// The life of the counter's store.
    public var epoch: UInt64
    /// The last revision before which nothing is missing.
    public var revision: UInt64
    /// When the epoch was last heard of, in seconds since 1970: the longest silent one is forgotten first.
    public var heardSeconds: Int64

    /// A cursor from its parts.
    public init(epoch: UInt64, revision: UInt64, heardSeconds: Int64) {
        self.epoch = epoch
        self.revision = revision
        self.heardSeconds = heardSeconds
    }
}

/// What one commit keeps.
public struct HistoryChanges: Sendable, Equatable {
    /// Minute rows, in the order in which they came.
    public var rows: [MinuteTotals] = []
    /// Chains that have moved on.
    public var cursors: [ChainCursor] = []
    /// Settings of devices; the last one of a device wins, nil puts the defaults back.
    public var settings: [SettingsChange] = []

    /// Nothing to keep.
    public init() {}

    /// Whether a commit would change nothing.
    public var isEmpty: Bool { rows.isEmpty && cursors.isEmpty && settings.isEmpty }
}

/// A device's new settings.
public struct SettingsChange: Sendable, Equatable {
    /// Whose.
    public var device: DeviceID
    /// What they are; nil for the defaults.
    public var settings: DeviceSettings?

    /// A change from its parts.
    public init(device: DeviceID, settings: DeviceSettings?) {
        self.device = device
        self.settings = settings
    }
}

/// What a commit did.
public struct CommitOutcome: Sendable, Equatable {
    /// Rows that were new or newer.
    public var appliedRows = 0
    /// Rows that were known already.
    public var repeatedRows = 0
    /// Rows and settings of devices beyond the limit.
    public var refusedRows = 0
    /// Rows of minutes of which there are only hours any more.
    public var lateRows = 0
    /// Whether some lease has come to a notice.
    public var hasNotices = false
    /// Devices with other totals, or another day, than before.
    public var changedDevices: Set<DeviceID> = []

    /// Nothing done.
    public init() {}
}
