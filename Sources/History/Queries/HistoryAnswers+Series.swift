import Wire

extension HistoryAnswers {
    /// The most buckets of one reply: every minute of a day of 25 hours.
    static var maximumBuckets: Int { 1500 }

    /// `history/series`: `[from, to)` in buckets of a width by the calendar of the zone, hours without `bucket`. Weeks
    /// begin on Monday (ISO 8601). The first and the last are cut to the range. Without `from` since the device's day
    /// began, without `to` up to its end.
    func series(_ request: HistoryRequest, nowMinute: Int64) async throws -> SeriesData {
        let (record, calendar) = try await subject(of: request)
        let bucket = request.bucket ?? .hour
        let today = calendar.minutes(of: calendar.date(ofMinute: nowMinute))
        let range = try Self.page(
            of: try RequestedRange(request, in: calendar, default: today).minutes, cursor: request.cursor)
        guard bucket != .minute || range.lowerBound >= record.compactedMinute else {
            let time = TimePoint.instant(seconds: Double(record.compactedMinute) * 60).text
            throw ReplyError(
                code: .notAvailable, message: "there are only hours before \(time); ask for 'bucket' hour")
        }
        let limit = min(request.limit ?? Self.maximumBuckets, Self.maximumBuckets)
        let ranges = calendar.buckets(bucket, in: range, limit: limit)
        let end = ranges.last?.upperBound ?? range.upperBound
        guard request.limit != nil || end >= range.upperBound else {
            throw ReplyError(
                code: .tooLarge,
                message: "more than \(Self.maximumBuckets) buckets of a \(bucket.rawValue); "
                    + "ask for wider buckets, for less time, or for pages with 'limit'")
        }
        let sums = try await store.sums(of: record.device, in: ranges)
        return SeriesData(
            device: record.device, bucket: bucket,
            buckets: zip(ranges, sums).map { Self.bucket(startMinute: $0.lowerBound, $1, record) },
            cursor: end < range.upperBound ? "\(end)" : nil)
    }

    /// What is left of a range at a cursor, which is the first minute of the page.
    static func page(of range: Range<Int64>, cursor: String?) throws(ReplyError) -> Range<Int64> {
        guard let cursor else { return range }
        guard let minute = Int64(cursor), range.contains(minute) else {
            throw ReplyError(code: .badRequest, message: "'cursor' is not the one of the page before this")
        }
        return minute..<range.upperBound
    }

    private static func bucket(startMinute: Int64, _ sum: CountSum, _ record: DeviceRecord) -> SeriesBucket {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        return SeriesBucket(
            start: Double(startMinute) * 60, totals: Totals(sum.counts), rpm: cadence.rpm, spm: cadence.spm)
    }
}
