import Wire

/// What is kept of one row.
struct StoredMinute {
    /// The revision of the row.
    var revision: Int64
    /// What was counted.
    var counts: Counts
}

extension MinuteTotals {
    /// Whether nothing was counted, not even time.
    var isEmpty: Bool {
        guard coveredMilliseconds == 0, steps == 0, revolutions == 0 else { return false }
        return self == MinuteTotals(device: device, minute: minute, epoch: epoch, revision: revision)
    }
}

/// What a commit reads and writes. A store implements it within one of its transactions; it may keep what is written
/// until the end of that, as long as it reads it back.
protocol CommitTables {
    /// A device and its number in the store; nil if it is not there.
    mutating func device(_ device: DeviceID) throws -> (id: Int64, record: DeviceRecord)?
    /// The number of a new device; nil if there are too many already.
    mutating func insertDevice(_ device: DeviceID) throws -> Int64?
    mutating func storeSettings(_ settings: DeviceSettings, id: Int64) throws
    mutating func storeTotals(_ record: DeviceRecord, id: Int64) throws

    mutating func minute(_ row: MinuteTotals, id: Int64) throws -> StoredMinute?
    mutating func store(_ row: MinuteTotals, id: Int64) throws
    /// Every row of a device from a minute on, in order.
    mutating func minutes(id: Int64, from minute: Int64) throws -> [(minute: Int64, row: StoredMinute)]

    mutating func days(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord]
    mutating func store(_ day: DayRecord, id: Int64) throws
    /// Removes the days that are not over, and says where they began and how often they had changed.
    mutating func removeOpenDays(id: Int64, nowMinute: Int64) throws -> (start: Int64?, revisions: Int64)
    mutating func peak(id: Int64) throws -> DayPeak?
    mutating func store(_ peak: DayPeak, id: Int64) throws
    /// Notes what totals were before they fell, which is seldom.
    mutating func raiseTotalPeak(to counts: Counts, id: Int64) throws
    mutating func forgetTotalPeak(id: Int64) throws

    mutating func leases(of device: DeviceID) throws -> [LiveLease]
    mutating func store(_ lease: LiveLease) throws
    mutating func assignments(of device: DeviceID) throws -> [Assignment]
    mutating func replaceAssignments(of device: DeviceID, with assignments: [Assignment]) throws

    /// A chain's cursor never goes back.
    mutating func store(_ cursor: ChainCursor) throws
}
