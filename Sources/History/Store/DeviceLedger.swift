import Wire

/// A device during one commit: its record and the days that the commit touches.
struct DeviceLedger {
    /// The device's number in the store.
    let id: Int64
    var record: DeviceRecord
    private(set) var calendar: DayCalendar
    var book: DayBook
    private(set) var leases: [LiveLease]
    private(set) var hasChanged = false
    /// Whether the most that the last date, and the totals, ever had is not to be known any more.
    var forgetsPeak = false
    /// The totals before the commit.
    let countsBefore: Counts
    /// Whether some total is less than it was.
    var hasFallen: Bool { record.counts.raised(to: countsBefore) != record.counts }

    init(id: Int64, record: DeviceRecord, calendar: DayCalendar, leases: [LiveLease]) {
        self.id = id
        self.leases = leases
        self.record = record
        countsBefore = record.counts
        self.calendar = calendar
        book = DayBook(calendar: calendar)
    }

    /// Adds the change of one minute to its day and to the device.
    mutating func add(_ change: Counts, toMinute minute: Int64, revision: Int64) {
        book.add(change, toMinute: minute, revision: revision)
        for index in leases.indices { leases[index].add(change, toMinute: minute) }
        if change != Counts() {
            record.counts += change
            record.revision = max(record.revision + (hasChanged ? 0 : 1), revision)
        }
        record.firstMinute = min(record.firstMinute ?? minute, minute)
        record.lastMinute = max(record.lastMinute ?? minute, minute)
        hasChanged = true
    }

    /// Goes on in another zone or with another start of day.
    mutating func begin(_ calendar: DayCalendar, afterRevision revision: Int64) {
        self.calendar = calendar
        book = DayBook(calendar: calendar)
        book.baseRevision = revision
    }
}
