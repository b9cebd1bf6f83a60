public import Wire

/// What the operator says about a device, as far as history needs it.
public struct DeviceSettings: Sendable, Equatable {
    /// `bike`, `wearable` or `unknown`.
    public var kind: String
    /// Where it is worn or mounted.
    public var placement: String?
    /// The IANA name of its zone; nil for the default zone.
    public var zone: String?
    /// When its days begin, in minutes after midnight.
    public var dayStartMinutes: Int
    /// Whether steps have a length, so that there is a distance.
    public var knowsStepLength = false
    /// Whether crank revolutions have a length, so that there is a distance.
    public var knowsRevolutionLength = false
    /// Whose it is.
    public var person: String?

    /// Settings from their parts.
    public init(kind: String = "unknown", placement: String? = nil, zone: String? = nil, dayStartMinutes: Int = 0) {
        self.kind = kind
        self.placement = placement
        self.zone = zone
        self.dayStartMinutes = dayStartMinutes
    }
}

/// A device, and all that was ever counted for it.
public struct DeviceRecord: Sendable, Equatable {
    /// Who.
    public var device: DeviceID
    /// What the operator says about it.
    public var settings: DeviceSettings
    /// The first minute with data; nil if only the settings are known.
    public var firstMinute: Int64?
    /// The last minute with data.
    public var lastMinute: Int64?
    /// The minute before which there are only hours.
    public var compactedMinute: Int64 = 0
    /// The totals for ever.
    public var counts: Counts
    /// Grows with every change of the totals.
    public var revision: Int64

    /// A device about which nothing is known yet.
    public init(device: DeviceID) {
        self.device = device
        settings = DeviceSettings()
        counts = Counts()
        revision = 0
    }
}

/// The most that a date ever had.
public struct DayPeak: Sendable, Equatable {
    /// The local date.
    public var date: LocalDate
    /// The most of each count, perhaps at different times.
    public var counts: Counts

    /// A peak from its parts.
    public init(date: LocalDate, counts: Counts) {
        self.date = date
        self.counts = counts
    }

    /// What becomes of a peak by a day: a later date takes its place, an earlier one changes nothing.
    /// - Returns: The peak to keep; nil if it stays as it is.
    static func raising(_ peak: DayPeak?, to day: DayRecord) -> DayPeak? {
        guard let peak, day.date <= peak.date else { return DayPeak(date: day.date, counts: day.counts) }
        guard day.date == peak.date else { return nil }
        let raised = DayPeak(date: day.date, counts: day.counts.raised(to: peak.counts))
        return raised == peak ? nil : raised
    }
}

/// One calendar day of a device, in the zone in which it was made.
public struct DayRecord: Sendable, Equatable {
    /// The local date.
    public var date: LocalDate
    /// The zone in which the day was made; a later zone of the device does not change it.
    public var zone: String
    /// The minutes that belong to the day.
    public var minutes: Range<Int64>
    /// What was counted.
    public var counts: Counts
    /// Grows with every change of `counts`.
    public var revision: Int64

    /// A day from its parts.
    public init(
        date: LocalDate, zone: String, minutes: Range<Int64>, counts: Counts = Counts(), revision: Int64 = 0
    ) {
        self.date = date
        self.zone = zone
        self.minutes = minutes
        self.counts = counts
        self.revision = revision
    }
}
