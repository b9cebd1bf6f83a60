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
        let sum = try await store.sums(of: record.device, in: [range.minutes], unless: isOver).first ?? CountSum()
        var data = IntervalData(record, range.minutes, sum)
        data.cutsResolution = range.cutsMinute
        if range.minutes.lowerBound < record.compactedMinute { data.resolutionSeconds = Self.oldResolutionSeconds }
        data.now = try await momentary(record, range.minutes, nowMinute: nowMinute)
        return data
    }

    /// The last minute of an interval that reaches up to now.
    private func momentary(
        _ record: DeviceRecord, _ range: Range<Int64>, nowMinute: Int64
    ) async throws -> MomentaryFigures {
        let recent = range.clamped(to: nowMinute - Self.nowMinutes..<DayCalendar.minutes.upperBound)
        guard range.upperBound >= nowMinute, !recent.isEmpty else { return MomentaryFigures() }
        let rows = try await store.minutes(of: record.device, in: recent, limit: Int(Self.nowMinutes) + 1)
        guard let last = rows.last?.sum, last.counts.activeMilliseconds > 0 else { return MomentaryFigures() }
        let cadence = DeviceCadence(last, kind: record.settings.kind)
        return MomentaryFigures { now in
            (now.cadenceRPM, now.cadenceSPM) = (cadence.rpm?.average, cadence.spm?.average)
            now.paceSecondsPerMetre = last.paceSecondsPerMetre
            if cadence.rpm != nil { now.speedKilometresPerHour = last.paceSecondsPerMetre.map { 3.6 / $0 } }
        }
    }
}

extension IntervalData {
    /// The record of whole minutes.
    init(_ record: DeviceRecord, _ range: Range<Int64>, _ sum: CountSum) {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        self.init()
        device = record.device
        (from, to) = (Double(range.lowerBound) * 60, Double(range.upperBound) * 60)
        totals = Totals(sum.counts)
        (rpm, spm) = (cadence.rpm, cadence.spm)
        distanceActiveSeconds = sum.distanceActiveMilliseconds.map { Double($0) / 1000 }
        paceAverageSecondsPerMetre = sum.paceSecondsPerMetre
    }
}

extension HistoryAnswers {
    /// `history/series`: `[from, to)` in buckets of a width by the calendar of the zone, hours without `bucket`. Weeks
    /// begin on Monday (ISO 8601). The first and the last are cut to the range. Without `from` since the device's day
    /// began, without `to` up to its end.
    func series(_ request: HistoryRequest, nowMinute: Int64) async throws -> SeriesData {
        let (record, calendar) = try await subject(of: request)
        let bucket = request.bucket ?? .hour
        let today = calendar.minutes(of: calendar.date(ofMinute: nowMinute))
        let range = try Self.page(
            of: try RequestedRange(request, in: calendar, default: today).minutes, cursor: request.cursor)
        try await permit(record, range, for: request.verb, nowMinute: nowMinute)
        try Self.refuse(bucket, of: range, before: record.compactedMinute)
        let limit = Self.limit(of: request)
        let ranges = calendar.buckets(bucket, in: range, limit: limit)
        let end = ranges.last?.upperBound ?? range.upperBound
        guard request.limit != nil || end >= range.upperBound else {
            throw ReplyError.tooLarge("the buckets of a \(bucket.rawValue)")
        }
        let sums = try await store.sums(of: record.device, in: ranges, unless: isOver)
        return SeriesData {
            $0.device = record.device
            $0.bucket = bucket
            $0.buckets = zip(ranges, sums).map { Self.bucket(startMinute: $0.lowerBound, $1, record) }
            if end < range.upperBound { $0.cursor = "\(end)" }
        }
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

    /// The rest of a range from a cursor on, which is the first minute of the page.
    static func page(of range: Range<Int64>, cursor: String?) throws(ReplyError) -> Range<Int64> {
        guard let cursor else { return range }
        guard let minute = Int64(cursor), range.contains(minute) else { throw .wrongCursor }
        return minute..<range.upperBound
    }

    private static func bucket(startMinute: Int64, _ sum: CountSum, _ record: DeviceRecord) -> SeriesBucket {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        return SeriesBucket {
            $0.start = Double(startMinute) * 60
            $0.totals = Totals(sum.counts)
            ($0.rpm, $0.spm) = (cadence.rpm, cadence.spm)
        }
    }
}

/// A cadence, as what it counts: a minute row has one cadence, of revolutions on a bike and of steps on a person.
struct DeviceCadence: Equatable {
    /// Of a crank.
    var rpm: CadenceFigures?
    /// Of a walker.
    var spm: CadenceFigures?

    /// The cadence of a range; of a device whose kind is unknown, what it did for longer decides.
    init(_ sum: CountSum, kind: String) {
        guard let average = sum.cadenceMean else { return }
        let minimum = sum.cadenceMinimum > 0 ? sum.cadenceMinimum : average
        let figures = CadenceFigures(average: average, minimum: minimum, maximum: max(sum.cadenceMaximum, minimum))
        if Self.isCrank(sum, kind: kind) { rpm = figures } else { spm = figures }
    }

    /// Whether the cadence of a range is that of a crank.
    static func isCrank(_ sum: CountSum, kind: String) -> Bool {
        switch DeviceKind(rawValue: kind) {
        case .bike: return true
        case .wearable: return false
        default:
            let onFoot = sum[.walking] + sum[.running]
            let cycling = sum[.cycling]
            return cycling == onFoot ? sum.counts.revolutions > sum.counts.steps : cycling > onFoot
        }
    }
}
