import Wire

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
}

extension DayTotals {
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
