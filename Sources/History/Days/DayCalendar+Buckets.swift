import Wire

extension DayCalendar {
    /// The bucket that a minute is in. Buckets of one width tile the time axis, as days do.
    func bucket(_ width: Bucket, containing minute: Int64) -> Range<Int64> {
        switch width {
        case .minute: minute..<minute + 1
        case .hour: hour(containing: minute)
        case .day: minutes(of: date(ofMinute: minute))
        case .week: weeks(containing: date(ofMinute: minute))
        case .month: months(containing: date(ofMinute: minute))
        }
    }

    /// The buckets that tile a range, in order; the first and the last are cut to the range.
    /// - Returns: At most `limit` buckets; the next page begins at the end of the last one.
    func buckets(_ width: Bucket, in range: Range<Int64>, limit: Int) -> [Range<Int64>] {
        var found: [Range<Int64>] = []
        var minute = range.lowerBound
        while minute < range.upperBound, found.count < limit {
            let end = max(minute + 1, bucket(width, containing: minute).upperBound)
            found.append(minute..<min(end, range.upperBound))
            minute = min(end, range.upperBound)
        }
        return found
    }

    /// Hours begin where the local clock shows a full hour, which is not where UTC does in Kathmandu. A step of the
    /// offset by half an hour ends one early.
    private func hour(containing minute: Int64) -> Range<Int64> {
        for stretch in offsets.stretches(from: minute * 60, to: minute * 60 + 1) {
            let offset = floorDivide(stretch.offsetSeconds, 60)
            let start = floorDivide(minute + offset, 60) * 60 - offset
            let first = floorDivide(stretch.startSeconds + 59, 60)
            let end = floorDivide(stretch.endSeconds + 59, 60)
            return max(
                start, isStep(at: stretch.startSeconds) ? first : start)..<min(
                    start + 60, isStep(at: stretch.endSeconds) ? end : start + 60)
        }
        return minute..<minute + 1
    }

    /// A stretch also ends where the table of offsets does, with no step.
    private func isStep(at seconds: Int64) -> Bool {
        offsets.offsetSeconds(at: seconds - 1) != offsets.offsetSeconds(at: seconds)
    }

    private func weeks(containing date: LocalDate) -> Range<Int64> {
        let monday = date.startOfWeek
        return startMinute(of: monday)..<startMinute(of: monday.advanced(by: 7))
    }

    private func months(containing date: LocalDate) -> Range<Int64> {
        startMinute(of: date.startOfMonth)..<startMinute(of: date.startOfNextMonth)
    }
}
