import Wire

/// A device's calendar days: what is stored where there was something to count, zeros where there was not.
struct DeviceDays<Store: HistoryStore>: Sendable {
    let store: Store
    let defaultZone: DayCalendar

    /// The day of a device that a minute is in. A day without data is made up from the calendar.
    func day(of device: DeviceRecord, at minute: Int64) async throws(HistoryError) -> DayRecord {
        let dates = LocalDate.dates(near: minute)
        let near = try await store.days(of: device.device, from: dates.lowerBound, to: dates.upperBound)
        return day(of: device, at: minute, among: near)
    }

    /// The day of a device that a minute is in, with its days of the dates near that minute.
    func day(of device: DeviceRecord, at minute: Int64, among near: [DayRecord]) -> DayRecord {
        let calendar = DayCalendar(device.settings, defaultZone: defaultZone)
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

    /// Every date from one up to another, which is not included, in the zones in which the days were made; `stored` are
    /// the device's days with data, in order.
    func days(
        of device: DeviceRecord, from first: LocalDate, to end: LocalDate, among stored: [DayRecord]
    ) -> [DayRecord] {
        let calendar = DayCalendar(device.settings, defaultZone: defaultZone)
        var stored = stored.drop { $0.date < first }
        return (first.dayNumber..<max(first.dayNumber, end.dayNumber)).map { number in
            let date = LocalDate(dayNumber: number)
            if let day = stored.first, day.date == date { return stored.removeFirst() }
            return DayRecord(date: date, zone: calendar.zone, minutes: calendar.minutes(of: date))
        }
    }

    /// Every date of another zone than the device's own, from the minutes. A day's revision is the sum of those of the
    /// stored days that it overlaps, so it grows when one of them does.
    func days(
        of device: DeviceRecord, from first: LocalDate, to end: LocalDate, in calendar: DayCalendar
    ) async throws(HistoryError) -> [DayRecord] {
        let dates = (first.dayNumber..<max(first.dayNumber, end.dayNumber)).map { LocalDate(dayNumber: $0) }
        let ranges = dates.map { calendar.minutes(of: $0) }
        let sums = try await store.sums(of: device.device, in: ranges)
        let reach = DayBook.reachDays
        let stored = try await store.days(
            of: device.device, from: first.advanced(by: -reach), to: end.advanced(by: reach))
        return dates.indices.map { index in
            let revision = stored.lazy.filter { $0.minutes.overlaps(ranges[index]) }.reduce(0) { $0 + $1.revision }
            return DayRecord(
                date: dates[index], zone: calendar.zone, minutes: ranges[index], counts: sums[index].counts,
                revision: revision)
        }
    }
}
