package import Wire

/// When the retained `day` and `total` of each device and person are published: soon after a change but at most once in
/// `minimumSeconds` a device, when a device's local day is over, and when the broker may have older values. A value
/// without clock.
///
/// A start and a midnight concern every device at once: they go a few devices at a time, behind what has changed, so
/// that answers do not wait for a thousand totals.
///
/// Nothing is published over a connection before the retained values have been read, and nothing below them: another
/// history, with a store of its own, may have published more than this store has yet.
///
/// Only the fact that something changed is kept here. What is published is read from the store at that time, so it is
/// always the last value.
package struct RetainedTotals: Sendable {
    private struct Entry {
        /// When the device may be published again, in seconds since 1970.
        var earliestSeconds = 0.0
        /// The first minute after the day that was published last.
        var dayEndMinute = Int64.max
        var isChanged = false
        /// True if the broker may have older values, though nothing has changed.
        var isRecalled = false
    }

    private var entries: [Subject: Entry] = [:]
    /// What readers were given of devices, until the store has as much of the device and that is published.
    private var floors: [DeviceID: TotalsFloor] = [:]
    /// The connection over which may be published.
    private var connection: UInt64?

    /// Nothing to publish, and no connection.
    package init() {}

    /// The shortest time between two publications of a device, in seconds.
    package static let minimumSeconds = 1.0
    /// The most devices that are read and published at once, so that answers find a broker that is not busy for long.
    package static let maximumDevices = 50
    /// The most devices whose retained values are remembered; the totals of further ones may fall once.
    package static let maximumFloors = 100_000

    /// A connection has begun; its retained values are not known yet.
    package mutating func hold() {
        connection = nil
    }

    /// Takes values that were retained when the connection began.
    package mutating func note(_ values: [RetainedValue]) {
        for value in values where floors[value.device] != nil || floors.count < Self.maximumFloors {
            floors[value.device, default: TotalsFloor()].take(value)
        }
    }

    /// All retained values have been read: publishing over a connection may begin.
    package mutating func begin(overConnection number: UInt64) {
        connection = number
    }

    /// Something of these is erased: their totals may fall.
    package mutating func erase(_ subjects: some Sequence<Subject>) {
        for case .device(let device) in subjects { floors[device] = nil }
        change(subjects)
    }

    /// Something about these has changed.
    package mutating func change(_ subjects: some Sequence<Subject>) {
        for subject in subjects { entries[subject, default: Entry()].isChanged = true }
    }

    /// The broker may have older values of these.
    package mutating func recall(_ subjects: some Sequence<Subject>) {
        for subject in subjects { entries[subject, default: Entry()].isRecalled = true }
    }

    /// The devices and people to read and publish now, first those that have changed. What changes from now on is published again.
    package mutating func takeDue(nowSeconds: Double) -> TotalsPublication? {
        guard let connection, case let due = due(nowSeconds: nowSeconds), !due.isEmpty else { return nil }
        var publication = TotalsPublication(subjects: due, connection: connection)
        for subject in due {
            entries[subject]?.isChanged = false
            entries[subject]?.isRecalled = false
            entries[subject]?.earliestSeconds = nowSeconds + Self.minimumSeconds
            if let device = subject.device { publication.floors[device] = floors[device] }
        }
        return publication
    }

    /// True if something has changed that was not published yet.
    package var hasChanges: Bool { entries.values.contains { $0.isChanged } }

    private func due(nowSeconds: Double) -> [Subject] {
        let nowMinute = Int64(exactly: (nowSeconds / 60).rounded(.down)) ?? 0
        var changed: [Subject] = []
        var unchanged: [Subject] = []
        // A clock that was set back must not hold anything up.
        for (subject, entry) in entries
        where nowSeconds >= entry.earliestSeconds || nowSeconds < entry.earliestSeconds - Self.minimumSeconds {
            if entry.isChanged {
                changed.append(subject)
                if changed.count == Self.maximumDevices { return changed }
            } else if entry.isRecalled || nowMinute >= entry.dayEndMinute, unchanged.count < Self.maximumDevices {
                unchanged.append(subject)
            }
        }
        return changed + unchanged.prefix(Self.maximumDevices - changed.count)
    }

    /// A device or person was published.
    /// - Parameters:
    ///   - minute: The first minute after the day that was published.
    ///   - isHeld: Whether what was published is above what the store has.
    package mutating func published(
        _ subject: Subject, dayEndMinute minute: Int64, isHeld: Bool = false, overConnection number: UInt64
    ) {
        entries[subject]?.dayEndMinute = minute
        // A floor that was read over a later connection stays.
        if number == connection, !isHeld, let device = subject.device { floors[device] = nil }
    }

    /// Some could not be published: they stay due.
    /// - Parameter ended: The connection that is over, if that is why: the next one is waited for.
    package mutating func failed(_ subjects: [Subject], endedConnection ended: UInt64? = nil) {
        change(subjects)
        if ended != nil, ended == connection { connection = nil }
    }
}

/// The devices and people whose totals are to be published now.
package struct TotalsPublication: Sendable, Equatable {
    package var subjects: [Subject]
    /// What readers were given of devices, where that may be more than the store has.
    package var floors: [DeviceID: TotalsFloor] = [:]
    /// The connection over which they may be published, and no other.
    package var connection: UInt64
}

/// A retained `day` or `total` that stood at the broker when history connected.
package enum RetainedValue: Sendable {
    case total(DeviceID, DeviceTotals)
    case day(DeviceID, DayTotals)

    fileprivate var device: DeviceID {
        switch self {
        case .total(let device, _), .day(let device, _): device
        }
    }
}

/// The highest counts that readers were given of a device, perhaps by a history with another store: no `total` is
/// published below them, and no `day` of the same date.
package struct TotalsFloor: Sendable, Equatable {
    private var total = Counts()
    private var (date, day): (LocalDate?, Counts) = (nil, Counts())

    /// Takes in a value that was retained. Of two dates the later one counts.
    fileprivate mutating func take(_ value: RetainedValue) {
        switch value {
        case .total(_, let totals): total = total.raised(to: Counts(totals.totals))
        case .day(_, let totals):
            guard let new = LocalDate(totals.date), date.map({ $0 <= new }) ?? true else { return }
            if date != new { (date, day) = (new, Counts()) }
            day = day.raised(to: Counts(totals.totals))
        }
    }

    /// The totals for ever that readers may be given instead of these.
    fileprivate func raised(_ counts: Counts) -> Counts { counts.raised(to: total) }

    /// The totals of a date that readers may be given instead of these.
    fileprivate func raised(_ counts: Counts, on date: LocalDate) -> Counts {
        date == self.date ? counts.raised(to: day) : counts
    }
}

/// The retained `day` and `total` of one device or person.
struct TotalsMessages: Sendable {
    /// The topics and payloads; an empty payload takes what is retained away.
    var messages: [(topic: [UInt8], payload: [UInt8])]
    /// The first minute after the day that they are about.
    var dayEndMinute: Int64
    /// The kind of the device; `nil` where nothing is kept of it, and of a person.
    var kind: DeviceKind?
    /// True if readers were given more than the store has.
    var isHeld = false

    /// Retained days of devices never fall within a date, and totals never: a reader that takes a fall for a new
    /// beginning (Home Assistant's `total_increasing`) would count twice. The truth is in `history/days`. Those of people
    /// fall where a check-in was wrong.
    init(
        _ record: SubjectRecord, _ day: DayRecord, above floor: TotalsFloor?, minute: Int64, topics: TopicTree
    ) {
        var (record, day) = (record, day)
        day.counts = day.published ?? day.counts
        record.counts = record.published ?? record.counts
        if let floor {
            let raised = (total: floor.raised(record.counts), day: floor.raised(day.counts, on: day.date))
            isHeld = raised.total != record.counts || raised.day != day.counts
            (record.counts, day.counts) = raised
        }
        var today = DayTotals(day, nowMinute: minute)
        today.end = Double(day.minutes.upperBound) * 60
        today.person = record.subject.person
        messages = zip(Self.topics(of: record.subject), [today.encodedJSON(), DeviceTotals(record).encodedJSON()]).map {
            (topics.bytes($0), $1)
        }
        dayEndMinute = day.minutes.upperBound
        kind = record.subject.isPerson ? nil : DeviceKind(rawValue: record.settings.kind) ?? .unknown
    }

    /// Clears the retained values of a device or person that the store does not have.
    init(clearing subject: Subject, topics: TopicTree) {
        messages = Self.topics(of: subject).map { (topics.bytes($0), []) }
        dayEndMinute = .max
    }

    private static func topics(of subject: Subject) -> [Topic] {
        switch subject {
        case .device(let device): [.device(device, .day), .device(device, .total)]
        case .person(let name): [.person(DeviceID(person: name), .day), .person(DeviceID(person: name), .total)]
        }
    }
}

extension HistoryStore {
    /// The messages for each of some devices and people, as they are now. A device of which something was ever erased may
    /// fall.
    func totalsMessages(
        of subjects: [Subject], above floors: [DeviceID: TotalsFloor] = [:], nowMinute: Int64, topics: TopicTree
    ) async throws(HistoryError) -> [Subject: TotalsMessages] {
        let dates = LocalDate.dates(near: nowMinute)
        let erased = try await erased(among: Set(floors.keys).union(subjects.compactMap(\.device)))
        var messages: [Subject: TotalsMessages] = [:]
        for snapshot in try await snapshots(of: subjects, from: dates.lowerBound, to: dates.upperBound) {
            let record = snapshot.record
            // A device that is forgotten has no totals until it counts again; its config alone makes none.
            if record.firstMinute == nil, record.device.map({ erased.contains($0) }) ?? false { continue }
            messages[record.subject] = TotalsMessages(
                record, day(of: record, at: nowMinute, among: snapshot.days),
                above: record.device.flatMap { erased.contains($0) ? nil : floors[$0] }, minute: nowMinute,
                topics: topics)
        }
        for subject in subjects where messages[subject] == nil {
            messages[subject] = TotalsMessages(clearing: subject, topics: topics)
        }
        return messages
    }

    /// Which of some devices something was ever erased of.
    private func erased(among devices: some Collection<DeviceID>) async throws(HistoryError) -> Set<DeviceID> {
        guard !devices.isEmpty else { return [] }
        let names = Array(devices)
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                names.map { SQLStatement("SELECT id FROM erasures WHERE device = $1 LIMIT 1", [.text("\($0)")]) })
            return Set(zip(names, results).compactMap { device, result in result.rows.isEmpty ? nil : device })
        }
    }
}
