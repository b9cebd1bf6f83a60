import Wire

extension DayTotals {
    /// A day as the bus says it. It is final when it is over; late data still opens it again, with a new revision.
    init(_ day: DayRecord, nowMinute: Int64) {
        self.init(
            date: day.date.description, zone: day.zone, steps: UInt64(clamping: day.counts.steps),
            revolutions: UInt64(clamping: day.counts.revolutions), distanceMetres: day.counts.distanceMetres,
            activeSeconds: day.counts.activeSeconds, coveredSeconds: day.counts.coveredSeconds,
            revision: UInt64(clamping: day.revision), isFinal: day.minutes.upperBound <= nowMinute)
    }
}

extension DeviceTotals {
    /// A device's totals for ever, as the bus says them.
    init(_ record: DeviceRecord) {
        self.init(
            steps: UInt64(clamping: record.counts.steps), revolutions: UInt64(clamping: record.counts.revolutions),
            distanceMetres: record.counts.distanceMetres, activeSeconds: record.counts.activeSeconds,
            coveredSeconds: record.counts.coveredSeconds, revision: UInt64(clamping: record.revision))
    }
}

extension Counts {
    /// Metres.
    var distanceMetres: Double { Double(distanceMillimetres) / 1000 }
    /// Seconds with steps or revolutions.
    var activeSeconds: Double { Double(activeMilliseconds) / 1000 }
    /// Seconds for which samples exist.
    var coveredSeconds: Double { Double(coveredMilliseconds) / 1000 }
}

extension Int64 {
    /// Whole seconds, held within what fits; 0 for what is no number.
    init(clampingSeconds seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}
