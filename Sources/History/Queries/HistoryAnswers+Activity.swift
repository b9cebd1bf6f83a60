import Wire

extension HistoryAnswers {
    /// The most stretches of one reply.
    static var maximumSegments: Int { 1000 }
    /// The most minutes with data that are read for one reply: what is beyond is left to the next page.
    static var maximumMinutesRead: Int { 31 * 1440 }
    /// How many minutes are read at once.
    static var minutesARead: Int { 1440 }

    /// `history/activity`: what the wearer did in `[from, to)`, stretch after stretch, to the minute. Without `from`
    /// since the device's day began; without `to` up to now.
    func activity(_ request: HistoryRequest, nowMinute: Int64) async throws -> ActivityData {
        let (record, calendar) = try await subject(of: request)
        let today = calendar.startMinute(of: calendar.date(ofMinute: nowMinute))
        let asked = try RequestedRange(request, in: calendar, default: today..<max(today, nowMinute) + 1).minutes
        var rest = try Self.page(of: asked, cursor: request.cursor)
        let limit = min(request.limit ?? Self.maximumSegments, Self.maximumSegments)
        var segmenter = ActivitySegmenter()
        var read = 0
        while !rest.isEmpty, segmenter.segments.count < limit, read < Self.maximumMinutesRead {
            let minutes = try await store.minutes(of: record.device, in: rest, limit: Self.minutesARead)
            for minute in minutes { segmenter.add(minute) }
            read += minutes.count
            guard minutes.count == Self.minutesARead, let last = minutes.last else {
                rest = rest.upperBound..<rest.upperBound
                break
            }
            rest = min(last.minute + last.length, rest.upperBound)..<rest.upperBound
        }
        return Self.activity(of: record.device, segmenter, rest: rest, limit: limit)
    }

    /// The first stretches; a stretch that was not read to its end is left to the next page, unless it fills this one.
    private static func activity(
        of device: DeviceID, _ segmenter: ActivitySegmenter, rest: Range<Int64>, limit: Int
    ) -> ActivityData {
        var segmenter = segmenter
        let next =
            rest.isEmpty || segmenter.segments.isEmpty ? rest.lowerBound : segmenter.openMinute ?? rest.lowerBound
        if rest.isEmpty || segmenter.segments.isEmpty { segmenter.finish() }
        let segments = segmenter.segments
        guard segments.count <= limit else {
            let page = Array(segments.prefix(limit))
            return ActivityData(device: device, segments: page, cursor: "\(Int64(segments[limit].start) / 60)")
        }
        return ActivityData(device: device, segments: segments, cursor: rest.isEmpty ? nil : "\(next)")
    }
}
