import Wire

extension HistoryAnswers {
    /// The most days of one reply.
    static var maximumDays: Int { 400 }
    /// How many days there are without `from` and `to`: the last ones, today included.
    static var defaultDays: Int { 7 }

    /// `history/days`: the days from the date of `from`, included, to that of `to`, not included. Without `to` up to
    /// and including today; without `from` the seven days before `to`. The device's days are given in the zones in
    /// which they were made, unless the request names another zone.
    func days(_ request: HistoryRequest, nowMinute: Int64) async throws -> DaysData {
        let near = datesInAnyZone(request, nowMinute: nowMinute)
        let (record, stored) = try await subject(of: request, withDaysFrom: near.lowerBound, to: near.upperBound)
        let calendar = try calendar(request, of: record.settings)
        let dates = try Self.dates(request, in: calendar, nowMinute: nowMinute)
        let limit = min(request.limit ?? Self.maximumDays, Self.maximumDays)
        guard request.limit != nil || dates.count <= limit else {
            throw ReplyError(
                code: .tooLarge,
                message:
                    "\(dates.count) days are more than \(Self.maximumDays); ask for fewer, or for pages with 'limit'")
        }
        let first = LocalDate(dayNumber: dates.lowerBound)
        let end = LocalDate(dayNumber: min(dates.lowerBound + limit, dates.upperBound))
        let query = DeviceDays(store: store, defaultZone: defaultZone)
        let isOwnZone = request.zone == nil || calendar.zone == (record.settings.zone ?? defaultZone.zone)
        let days =
            isOwnZone
            ? query.days(of: record, from: first, to: end, among: stored)
            : try await query.days(of: record, from: first, to: end, in: calendar)
        return DaysData(
            device: record.device, days: days.map { DayTotals($0, nowMinute: nowMinute) },
            cursor: end.dayNumber < dates.upperBound ? end.description : nil)
    }

    /// The day numbers asked for, from the cursor on.
    private static func dates(
        _ request: HistoryRequest, in calendar: DayCalendar, nowMinute: Int64
    ) throws(ReplyError) -> Range<Int> {
        var (first, end) = bounds(request, in: calendar, nowMinute: nowMinute)
        guard first < end else {
            throw ReplyError(code: .badRequest, message: "'to' (\(end)) is not after 'from' (\(first))")
        }
        if let cursor = request.cursor {
            guard let next = LocalDate(cursor), next >= first, next < end else {
                throw ReplyError(code: .badRequest, message: "'cursor' is not the one of the page before this")
            }
            first = next
        }
        return first.dayNumber..<end.dayNumber
    }

    private static func bounds(
        _ request: HistoryRequest, in calendar: DayCalendar, nowMinute: Int64
    ) -> (first: LocalDate, end: LocalDate) {
        let tomorrow = calendar.date(ofMinute: nowMinute).advanced(by: 1)
        let end = request.to.map { LocalDate($0, in: calendar) } ?? tomorrow
        return (request.from.map { LocalDate($0, in: calendar) } ?? end.advanced(by: -defaultDays), end)
    }

    /// Dates among which are those that a reply can be about, whatever the zone of the device turns out to be: it is
    /// read together with them.
    private func datesInAnyZone(_ request: HistoryRequest, nowMinute: Int64) -> Range<LocalDate> {
        let bounds = Self.bounds(request, in: defaultZone, nowMinute: nowMinute)
        let first = (request.cursor.flatMap { LocalDate($0) } ?? bounds.first).advanced(by: -DayBook.reachDays)
        let most = min(request.limit ?? Self.maximumDays, Self.maximumDays) + 2 * DayBook.reachDays
        return first..<max(first, min(bounds.end.advanced(by: DayBook.reachDays), first.advanced(by: most)))
    }
}
