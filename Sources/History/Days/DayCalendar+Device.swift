extension DayCalendar {
    /// The calendar of a device, from its settings. A zone was checked when it came; one that the time zone database
    /// has lost since then falls back to the default.
    init(_ settings: DeviceSettings, defaultZone: DayCalendar) {
        let zone = settings.zone ?? defaultZone.zone
        let start = settings.dayStartMinutes
        self = (try? DayCalendar(zone: zone, dayStartMinutes: start)) ?? defaultZone
    }
}
