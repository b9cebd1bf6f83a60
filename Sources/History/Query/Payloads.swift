import Wire

extension DayTotals {
    /// The payload of a day. It is final when it has been over for `graceMinutes`; late data still opens it again,
    /// with a new revision.
    init(_ day: DayRecord, nowMinute: Int64) {
        self.init()
        (date, zone) = (day.date.description, day.zone)
        totals = Totals(day.counts)
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
        (totals, revision) = (Totals(record.counts), UInt64(clamping: record.revision))
        person = record.subject.person
    }
}

extension Totals {
    /// The sums in the units of the bus.
    init(_ counts: Counts) {
        self.init()
        (steps, revolutions) = (UInt64(clamping: counts.steps), UInt64(clamping: counts.revolutions))
        distanceMetres = counts.distanceMetres
        (activeSeconds, coveredSeconds) = (counts.activeSeconds, counts.coveredSeconds)
        floors = counts.wireFloors
    }
}

extension Counts {
    /// The counts of a payload.
    init(_ totals: Totals) {
        self.init()
        steps = Int64(clamping: totals.steps)
        revolutions = Int64(clamping: totals.revolutions)
        distanceMillimetres = Self.thousandths(totals.distanceMetres)
        activeMilliseconds = Self.thousandths(totals.activeSeconds)
        coveredMilliseconds = Self.thousandths(totals.coveredSeconds)
        floors = totals.floors.map {
            Floors(ascended: Int64(clamping: $0.ascended), descended: Int64(clamping: $0.descended))
        }
    }

    private static func thousandths(_ value: Double) -> Int64 { Int64(exactly: (value * 1000).rounded()) ?? 0 }

    /// The floors in the form of the bus.
    var wireFloors: FloorCounts? {
        floors.map { FloorCounts(ascended: UInt64(clamping: $0.ascended), descended: UInt64(clamping: $0.descended)) }
    }
    var distanceMetres: Double { Double(distanceMillimetres) / 1000 }
    /// Seconds with steps or revolutions.
    var activeSeconds: Double { Double(activeMilliseconds) / 1000 }
    /// Time covered by samples, in seconds.
    var coveredSeconds: Double { Double(coveredMilliseconds) / 1000 }
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
