import Wire

extension HistoryAnswers {
    /// The number of days without `from` and `to`: the last ones, today included.
    static var defaultDays: Int { 7 }

    /// `history/days`: the days from the date of `from`, included, to that of `to`, not included. Without `to` up to
    /// and including today; without `from` the seven days before `to`. Days are given in the zones in which they were made.
    func days(_ request: HistoryRequest, nowMinute: Int64) async throws -> Page<DayTotals> {
        let (record, calendar) = try await subject(of: request)
        let dates = try Self.dates(request, in: calendar, nowMinute: nowMinute)
        let limit = Self.limit(of: request)
        guard request.limit != nil || dates.count <= limit else { throw ReplyError.tooLarge("\(dates.count) days") }
        let first = LocalDate(dayNumber: dates.lowerBound)
        let end = LocalDate(dayNumber: min(dates.lowerBound + limit, dates.upperBound))
        let days = try await store.everyDay(of: record, from: first, to: end)
        if let first = days.first, let last = days.last {
            // By the days as they are: one may have begun in another zone.
            let minutes = first.minutes.lowerBound..<max(first.minutes.lowerBound, last.minutes.upperBound)
            try await permit(record, minutes, for: request.verb, nowMinute: nowMinute)
        }
        return Page<DayTotals> {
            ($0.device, $0.person) = (record.device, record.subject.person)
            $0.rows = days.map { DayTotals($0, nowMinute: nowMinute) }
            if end.dayNumber < dates.upperBound { $0.cursor = end.description }
        }
    }

    /// The day numbers asked for, from the cursor on.
    private static func dates(
        _ request: HistoryRequest, in calendar: DayCalendar, nowMinute: Int64
    ) throws(ReplyError) -> Range<Int> {
        let end = request.to.map { LocalDate($0, in: calendar) } ?? calendar.date(ofMinute: nowMinute).advanced(by: 1)
        var first = request.from.map { LocalDate($0, in: calendar) } ?? end.advanced(by: -defaultDays)
        guard first < end else {
            if request.to != nil, end.dayNumber == 0 {
                throw ReplyError(code: .badRequest, message: "history's calendar begins with \(end)")
            }
            throw ReplyError(code: .badRequest, message: "'to' (\(end)) is not after 'from' (\(first))")
        }
        if let cursor = request.cursor {
            guard let next = LocalDate(cursor), next >= first, next < end else { throw .wrongCursor }
            first = next
        }
        return first.dayNumber..<end.dayNumber
    }
}

/// Calendar days: what is stored where there was something to count, zeros where there was not.
extension HistoryStore {
    /// The day that a minute is in. A day without data is made up from the calendar.
    func day(of record: SubjectRecord, at minute: Int64) async throws(HistoryError) -> DayRecord {
        let dates = LocalDate.dates(near: minute)
        let near = try await days(of: record.subject, from: dates.lowerBound, to: dates.upperBound)
        return day(of: record, at: minute, among: near)
    }

    /// The day that a minute is in, with the days of the dates near that minute.
    func day(of record: SubjectRecord, at minute: Int64, among near: [DayRecord]) -> DayRecord {
        let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
        let date = calendar.date(ofMinute: minute)
        if let day = near.first(where: { $0.minutes.contains(minute) }) { return day }
        let natural = calendar.minutes(of: date)
        if var begun = near.first(where: { $0.date == date }) {
            // Begun in another zone, before the device travelled: it is not over until it is over here.
            begun.minutes = begun.minutes.lowerBound..<max(begun.minutes.upperBound, natural.upperBound)
            return begun
        }
        return DayRecord(date: date, zone: calendar.zone, minutes: natural)
    }

    /// Every date from `first` up to, but not including, `end`, in the zone of each day.
    func everyDay(
        of record: SubjectRecord, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
        var stored = try await days(of: record.subject, from: first, to: end)[...]
        return (first.dayNumber..<max(first.dayNumber, end.dayNumber)).map { number in
            let date = LocalDate(dayNumber: number)
            if let day = stored.first, day.date == date { return stored.removeFirst() }
            return DayRecord(date: date, zone: calendar.zone, minutes: calendar.minutes(of: date))
        }
    }
}

extension DayTotals {
    /// The payload of a day. It is final when it has been over for `graceMinutes`; late data still opens it again,
    /// with a new revision.
    init(_ day: DayRecord, nowMinute: Int64) {
        self.init()
        (date, zone) = (day.date.description, day.zone)
        counts = day.counts
        revision = UInt64(clamping: day.revision)
        isFinal = day.minutes.upperBound + Self.graceMinutes <= nowMinute
    }

    /// How long after its end a day is final, in minutes: by then delayed messages have come.
    static let graceMinutes: Int64 = 60
}

extension DeviceTotals {
    /// The payload of a device's totals for ever.
    init(_ record: SubjectRecord, nowSeconds: Double) {
        self.init()
        t = nowSeconds
        (counts, revision) = (record.counts, UInt64(clamping: record.revision))
        person = record.subject.person
    }
}

extension Int64 {
    /// Whole seconds, clamped to the range of the type; 0 for NaN.
    init(clampingSeconds seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}

extension DeviceEntry {
    /// The payload of a device; nil as long as only its settings are known.
    init?(_ record: SubjectRecord, defaultZone: DayCalendar) {
        guard let known = record.device, let first = record.firstMinute, let last = record.lastMinute
        else { return nil }
        self.init()
        (device, kind) = (known, DeviceKind(rawValue: record.settings.kind) ?? .unknown)
        (placement, zone) = (record.settings.placement, record.settings.zone ?? defaultZone.zone)
        (firstT, lastT) = (Double(first) * 60, Double(last + 1) * 60)
        steps = UInt64(clamping: record.counts.steps)
        revolutions = UInt64(clamping: record.counts.revolutions)
        isNew = record.settings == DeviceSettings()
    }
}
