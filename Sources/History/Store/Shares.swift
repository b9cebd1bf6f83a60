import Wire

/// What a person had of a device's day whose minutes are gone, so that it can be taken off when the person is erased.
struct DayShare: Sendable, Equatable {
    /// The number of the device in the store.
    var device: Int64
    var date: LocalDate
    /// The person's first minute with data.
    var firstMinute: Int64
    var sum: CountSum

    private static let table = SQLTable(
        name: "shares", key: ["person", "device", "date"],
        columns: ["first_minute"] + Counts.columns + CountSum.oldColumns)
    private static let columns = (["device", "date"] + table.columns).joined(separator: ", ")

    private init(_ row: inout SQLRow) throws {
        device = try row.int()
        date = LocalDate(dayNumber: Int(clamping: try row.int()))
        firstMinute = try row.int()
        sum = try CountSum(aggregates: &row)
    }

    static func all(of person: String, _ session: any SQLSession) throws -> [DayShare] {
        try session.query("SELECT \(columns) FROM shares WHERE person = $1 ORDER BY device, date", [.text(person)])
            .read { try DayShare(&$0) }
    }

    /// Keeps what each person had of a device's day, whose minutes are about to go.
    static func keep(
        ofDevice record: SubjectRecord, _ id: Int64, on date: LocalDate, _ day: Range<Int64>,
        _ session: any SQLSession
    ) throws {
        let owners = try session.query(
            Assignment.ofDevice, [.text(record.subject.name), .int(day.lowerBound), .int(day.upperBound)]
        ).compactMap { try Assignment.read($0) }
        let people = Dictionary(grouping: DeviceOwnership.owners(owners), by: \.person)
        var rows: [[SQLValue]] = []
        for (person, owned) in people {
            let minutes = owned.map { $0.minutes.clamped(to: day) }.filter { !$0.isEmpty }
            let sum = try session.sums(of: .minutes, of: id, in: minutes).reduce(into: CountSum()) { $0 += $1.sum }
            guard let first = minutes.first, sum != CountSum() else { continue }
            let share = try session.query(
                "SELECT \(columns) FROM shares WHERE person = $1 AND device = $2 AND date = $3",
                [.text(person), .int(id), .int(Int64(date.dayNumber))]
            ).read { try DayShare(&$0) }.first
            var whole = share?.sum ?? CountSum()
            whole += sum
            rows.append(
                [
                    .text(person), .int(id), .int(Int64(date.dayNumber)),
                    .int(min(first.lowerBound, share?.firstMinute ?? first.lowerBound)),
                ] + whole.counts.values() + whole.oldValues)
        }
        try session.upsert(rows, into: table)
    }

    /// Takes the sums that are not counts off the device's day.
    func takeOff(_ session: any SQLSession) throws {
        guard var old = try OldDay.find(device, date, session) else { return }
        old.sum = old.sum - sum
        // Its counts are those of the day itself, and taken off already.
        try old.update(device, date, session)
    }
}
