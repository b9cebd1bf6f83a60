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

extension HistoryAnswers {
    /// The most days that are read for one reply: what is beyond is left to the next page.
    private static var maximumActivityDays: Int { 400 }

    /// `history/activity`: what the wearer of a device, or a person, did in `[from, to)`, stretch after stretch, to the
    /// minute. Without `from` since the day began; without `to` up to now.
    func activity(_ request: HistoryRequest, nowMinute: Int64) async throws -> Page<ActivitySegment> {
        let (record, calendar) = try await subject(of: request)
        let today = calendar.startMinute(of: calendar.date(ofMinute: nowMinute))
        let asked = try RequestedRange(request, in: calendar, default: today..<max(today, nowMinute) + 1).minutes
        var rest = try Self.page(of: asked, cursor: request.cursor)
        try await permit(record, rest, for: request.verb, nowMinute: nowMinute)
        try Self.refuse(.minute, of: rest, before: record.compactedMinute)
        rest = rest.clamped(to: (record.firstMinute ?? 0)..<(record.lastMinute ?? -1) + 1)
        let limit = Self.limit(of: request)
        var segmenter = ActivitySegmenter()
        var days = 0
        while !rest.isEmpty, segmenter.segments.count < limit, days < Self.maximumActivityDays {
            try keepGoing()
            let day = rest.prefix(1440)
            for minute in try await store.tracedMinutes(of: record.subject, in: [day])[0] { segmenter.add(minute) }
            rest = day.upperBound..<rest.upperBound
            days += 1
        }
        var data = Self.page(segmenter, rest: rest, limit: limit)
        (data.device, data.person) = (record.device, record.subject.person)
        return data
    }

    /// The first stretches; a stretch that was not read to its end is left to the next page, unless it fills this one.
    private static func page(_ segmenter: ActivitySegmenter, rest: Range<Int64>, limit: Int) -> Page<ActivitySegment> {
        var segmenter = segmenter
        let next =
            rest.isEmpty || segmenter.segments.isEmpty ? rest.lowerBound : segmenter.openMinute ?? rest.lowerBound
        if rest.isEmpty || segmenter.segments.isEmpty { segmenter.finish() }
        let segments = segmenter.segments
        return Page<ActivitySegment> {
            $0.rows = Array(segments.prefix(limit))
            if segments.count > limit {
                $0.cursor = "\(Int64(segments[limit].start) / 60)"
            } else if !rest.isEmpty {
                $0.cursor = "\(next)"
            }
        }
    }
}

/// Puts minutes together to stretches of one activity: what was done for most of a minute is what was done in it, and
/// minutes that follow each other with the same activity are one stretch. Minutes without data end a stretch.
///
/// The confidence of a stretch is the share of its time that was its activity.
struct ActivitySegmenter: Sendable {
    private struct Stretch {
        var minutes: Range<Int64>
        var activity: ActivityKind
        var sum: CountSum
    }

    private var current: Stretch?
    /// The stretches that are over.
    private(set) var segments: [ActivitySegment] = []

    /// The first minute of the stretch that is not over yet.
    var openMinute: Int64? { current?.minutes.lowerBound }

    /// Takes the next minute that has data.
    mutating func add(_ record: TracedMinute) {
        guard let activity = Self.dominant(record.sum) else { return }
        guard var stretch = current, stretch.activity == activity, stretch.minutes.upperBound == record.minute else {
            finish()
            let minutes = record.minute..<record.minute + 1
            return current = Stretch(minutes: minutes, activity: activity, sum: record.sum)
        }
        stretch.minutes = stretch.minutes.lowerBound..<record.minute + 1
        stretch.sum += record.sum
        current = stretch
    }

    /// There are no further minutes.
    mutating func finish() {
        guard let stretch = current else { return }
        segments.append(
            ActivitySegment {
                $0.start = Double(stretch.minutes.lowerBound) * 60
                $0.end = Double(stretch.minutes.upperBound) * 60
                ($0.activity, $0.confidence) = (stretch.activity, Self.confidence(stretch))
                $0.steps = UInt64(clamping: stretch.sum.counts.steps)
                $0.revolutions = UInt64(clamping: stretch.sum.counts.revolutions)
            })
        current = nil
    }

    /// The longest activity; nil where none is known. Of two that lasted as long the one that is more than
    /// nothing or standing still.
    static func dominant(_ sum: CountSum) -> ActivityKind? {
        let longest = ActivityKind.allCases.max { one, other in
            (sum.counts[Amount(one)], one.rawValue) < (sum.counts[Amount(other)], other.rawValue)
        }
        guard let longest, sum.counts[Amount(longest)] > 0 else { return nil }
        return longest
    }

    private static func confidence(_ stretch: Stretch) -> Double {
        let whole = Amount.activities.reduce(0) { $0 + stretch.sum.counts[$1] }
        guard stretch.activity != .unknown, whole > 0 else { return 0 }
        return Double(stretch.sum.counts[Amount(stretch.activity)]) / Double(whole)
    }
}
