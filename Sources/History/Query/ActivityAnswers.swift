import Wire

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
