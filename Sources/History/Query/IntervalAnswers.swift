import Wire

extension HistoryAnswers {
    /// The resolution beyond the retention of minutes, in seconds.
    static var oldResolutionSeconds: Int { 86_400 }
    /// The minutes before the present one that "now" reaches back: the present minute may not have come yet.
    static var nowMinutes: Int64 { 1 }

    /// `history/interval`: one record for `[from, to)`. Without `from` since the device's day began; without `to` up to
    /// now. `from` and `to` of the reply are the whole minutes that it is about (`resolution_s`), and `partial_minute`
    /// says whether the interval asked for cuts one.
    func interval(_ request: HistoryRequest, nowMinute: Int64) async throws -> IntervalData {
        let (record, calendar) = try await subject(of: request)
        let today = calendar.startMinute(of: calendar.date(ofMinute: nowMinute))
        let range = try RequestedRange(request, in: calendar, default: today..<max(today, nowMinute) + 1)
        try await permit(record, range.minutes, for: request.verb, nowMinute: nowMinute)
        try await refuseCutDay(of: record, by: range.minutes)
        let sum = try await store.sums(of: record.subject, in: [range.minutes]).first ?? CountSum()
        var data = IntervalData(record, range.minutes, sum)
        data.person = record.subject.person
        data.cutsResolution = range.cutsMinute
        if range.minutes.lowerBound < record.compactedMinute { data.resolutionSeconds = Self.oldResolutionSeconds }
        data.now = try await momentary(record, range.minutes, nowMinute: nowMinute)
        return data
    }

    /// The last minute of an interval that reaches up to now.
    private func momentary(
        _ record: SubjectRecord, _ range: Range<Int64>, nowMinute: Int64
    ) async throws -> MomentaryFigures {
        let recent = range.clamped(to: nowMinute - Self.nowMinutes..<DayCalendar.minutes.upperBound)
        guard range.upperBound >= nowMinute, !recent.isEmpty else { return MomentaryFigures() }
        let rows = try await store.tracedMinutes(of: record.subject, in: [recent.prefix(Int(Self.nowMinutes) + 1)])
        guard let last = rows[0].last?.sum, last.counts.activeMilliseconds > 0 else { return MomentaryFigures() }
        let cadence = DeviceCadence(last, kind: record.settings.kind)
        return MomentaryFigures { now in
            (now.cadenceRPM, now.cadenceSPM) = (cadence.rpm?.average, cadence.spm?.average)
            now.paceSecondsPerMetre = last.paceSecondsPerMetre
            if cadence.rpm != nil { now.speedMetresPerSecond = last.paceSecondsPerMetre.map { 1 / $0 } }
        }
    }
}

extension IntervalData {
    /// The record of whole minutes.
    init(_ record: SubjectRecord, _ range: Range<Int64>, _ sum: CountSum) {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        self.init()
        device = record.device
        (from, to) = (Double(range.lowerBound) * 60, Double(range.upperBound) * 60)
        counts = sum.counts
        (rpm, spm) = (cadence.rpm, cadence.spm)
        (heart, power) = (ReadingFigures(sum.heart), ReadingFigures(sum.power))
        distanceActiveSeconds = sum.distanceActiveMilliseconds.map { Double($0) / 1000 }
        paceAverageSecondsPerMetre = sum.paceSecondsPerMetre
    }
}

extension HistoryAnswers {
    /// `history/series`: `[from, to)` in buckets of a width by the calendar of the zone, hours without `bucket`. Weeks
    /// begin as those of goals do. The first and the last are cut to the range. Without `from` since the device's day
    /// began, without `to` up to its end.
    func series(_ request: HistoryRequest, nowMinute: Int64) async throws -> Page<SeriesBucket> {
        var (record, calendar) = try await subject(of: request)
        let bucket = request.bucket ?? .hour
        if bucket == .week, let person = record.subject.person {
            calendar.chosenWeekStart = try await store.profiles(of: [person])[person]?.goals.weekStarts
        }
        let today = calendar.minutes(of: calendar.date(ofMinute: nowMinute))
        let range = try Self.page(
            of: try RequestedRange(request, in: calendar, default: today).minutes, cursor: request.cursor)
        try await permit(record, range, for: request.verb, nowMinute: nowMinute)
        let (ranges, end) = try await buckets(bucket, of: record, in: range, calendar, request)
        let sums = try await store.sums(of: record.subject, in: ranges)
        return Page<SeriesBucket> {
            ($0.device, $0.person) = (record.device, record.subject.person)
            ($0.zone, $0.bucket) = (calendar.zone, bucket)
            $0.rows = zip(ranges, sums).map { Self.bucket(startMinute: $0.lowerBound, $1, record) }
            if end < range.upperBound { $0.cursor = "\(end)" }
        }
    }

    /// The buckets of one reply, and where they end. What is more is an error, or the next page where a limit was given.
    func buckets(
        _ bucket: Bucket, of record: SubjectRecord, in range: Range<Int64>, _ calendar: DayCalendar,
        _ request: HistoryRequest
    ) async throws -> (ranges: [Range<Int64>], end: Int64) {
        try Self.refuse(bucket, of: range, before: record.compactedMinute)
        let limit = Self.limit(of: request)
        let ranges = calendar.buckets(bucket, in: range, limit: limit)
        let end = ranges.last?.upperBound ?? range.upperBound
        guard request.limit != nil || end >= range.upperBound else {
            throw ReplyError.tooLarge("the buckets of one \(bucket.rawValue) each")
        }
        try await refuseCutDay(of: record, by: range.lowerBound..<end)
        return (ranges, end)
    }

    /// Throws for minutes and hours of a time of which only days are kept.
    static func refuse(
        _ bucket: Bucket, of range: Range<Int64>, before oldMinute: Int64
    ) throws(ReplyError) {
        guard bucket == .minute || bucket == .hour, range.lowerBound < oldMinute else { return }
        let time = TimePoint.instant(seconds: Double(oldMinute) * 60).text
        throw ReplyError(
            code: .notAvailable, message: "there are only days before \(time); ask for 'bucket' day, or from then on")
    }

    /// Throws for a range of which one end lies within the data of a day whose minutes are gone.
    func refuseCutDay(of record: SubjectRecord, by range: Range<Int64>) async throws {
        guard let day = try await store.cutDay(of: record, by: range) else { return }
        let (start, end) = (
            TimePoint.instant(seconds: Double(day.minutes.lowerBound) * 60).text,
            TimePoint.instant(seconds: Double(day.minutes.upperBound) * 60).text
        )
        throw ReplyError(
            code: .notAvailable,
            message: "of \(day.date) only the whole day is kept, from \(start) to \(end): ask for all of it or for none"
        )
    }

    /// The rest of a range from a cursor on, which is the first minute, or second, of the page.
    static func page(of range: Range<Int64>, cursor: String?) throws(ReplyError) -> Range<Int64> {
        guard let cursor else { return range }
        guard let first = Int64(cursor), range.contains(first) else { throw .wrongCursor }
        return first..<range.upperBound
    }

    private static func bucket(startMinute: Int64, _ sum: CountSum, _ record: SubjectRecord) -> SeriesBucket {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        return SeriesBucket {
            $0.start = Double(startMinute) * 60
            $0.counts = sum.counts
            ($0.rpm, $0.spm) = (cadence.rpm, cadence.spm)
            ($0.heart, $0.power) = (ReadingFigures(sum.heart), ReadingFigures(sum.power))
        }
    }
}

/// The cadences of a range, by what they count: revolutions on a bike, steps on a person. Of a device whose kind is
/// unknown, and of a person, each minute has the one of which there is more.
struct DeviceCadence: Equatable {
    /// Of a crank.
    var rpm: CadenceFigures?
    /// Of a walker.
    var spm: CadenceFigures?

    init(_ sum: CountSum, kind: String) {
        switch DeviceKind(rawValue: kind) {
        case .bike: rpm = Self.figures(sum.cadence)
        case .wearable: spm = Self.figures(sum.cadence)
        default: (rpm, spm) = (Self.figures(sum.crank), Self.figures(sum.step))
        }
    }

    private static func figures(_ cadence: RateSum) -> CadenceFigures? {
        guard let average = cadence.mean else { return nil }
        let minimum = cadence.minimum > 0 ? cadence.minimum : average
        return CadenceFigures(average: average, minimum: minimum, maximum: max(cadence.maximum, minimum))
    }
}

/// The minutes that a request asks about.
///
/// History keeps whole minutes. A time inside a minute takes in all of it, at both ends: `from` is rounded down and
/// `to` up, the reply says which times it is about, and `partial_minute` that the minutes at the ends are not the
/// interval's alone. Intervals that follow each other at whole minutes count every minute once.
struct RequestedRange: Sendable, Equatable {
    /// The minutes, since 1970, UTC.
    let minutes: Range<Int64>
    /// True if a time was given that is not a whole minute.
    let cutsMinute: Bool

    /// Reads `from` and `to`, with defaults for missing ones.
    init(_ request: HistoryRequest, in calendar: DayCalendar, default standard: Range<Int64>) throws(ReplyError) {
        let start = request.from.map { Self.minute($0, in: calendar, .down) } ?? standard.lowerBound
        let end = request.to.map { Self.minute($0, in: calendar, .up) } ?? standard.upperBound
        guard start <= end, !Self.isReversed(request.from, request.to) else {
            let from = request.from?.text ?? TimePoint.instant(seconds: Double(start) * 60).text
            let to = request.to?.text ?? TimePoint.instant(seconds: Double(end) * 60).text
            throw ReplyError(code: .badRequest, message: "'to' (\(to)) is not after 'from' (\(from))")
        }
        minutes = start..<end
        cutsMinute = Self.cutsMinute(request.from) || Self.cutsMinute(request.to)
    }

    private static func cutsMinute(_ time: TimePoint?) -> Bool {
        guard case .instant(let seconds)? = time else { return false }
        return (seconds / 60).rounded() * 60 != seconds
    }

    /// Two instants may be rounded to one minute, which is an empty range; but they must be in order.
    private static func isReversed(_ from: TimePoint?, _ to: TimePoint?) -> Bool {
        switch (from, to) {
        case (.instant(let from)?, .instant(let to)?): to <= from
        case (.localDate(let year, let month, let day)?, .localDate(let endYear, let endMonth, let endDay)?):
            (endYear, endMonth, endDay) <= (year, month, day)
        default: false
        }
    }

    /// The whole minute of a time, or of a local date's beginning.
    static func minute(
        _ time: TimePoint, in calendar: DayCalendar, _ rounding: FloatingPointRoundingRule
    ) -> Int64 {
        let limits = DayCalendar.minutes
        switch time {
        case .instant(let seconds):
            let minute = (seconds / 60).rounded(rounding)
            return Int64(exactly: min(max(minute, 0), Double(limits.upperBound))) ?? 0
        case .localDate:
            return calendar.startMinute(of: LocalDate(time, in: calendar))
        }
    }
}

extension LocalDate {
    /// The date that a time of a request names or falls on; dates outside the calendar are held within it.
    init(_ time: TimePoint, in calendar: DayCalendar) {
        switch time {
        case .localDate(let year, let month, let day):
            self = LocalDate(dayNumber: CivilDate.days(year: year, month: month, day: day))
        case .instant(let seconds):
            let minute = min(max((seconds / 60).rounded(.down), 0), Double(DayCalendar.minutes.upperBound - 1))
            self = calendar.date(ofMinute: Int64(exactly: minute) ?? 0)
        }
    }
}
