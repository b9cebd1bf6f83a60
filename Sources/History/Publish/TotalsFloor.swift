package import Wire

/// A retained `day` or `total` that stood at the broker when history connected.
package enum RetainedValue: Sendable {
    case total(DeviceID, DeviceTotals)
    case day(DeviceID, DayTotals)

    var device: DeviceID {
        switch self {
        case .total(let device, _), .day(let device, _): device
        }
    }
}

/// What readers were given of a device, perhaps by a history with another store: no `total` is published below it, and
/// no `day` of the same date.
package struct TotalsFloor: Sendable, Equatable {
    private(set) var total: Counts?
    private(set) var date: LocalDate?
    private(set) var day: Counts?

    /// Takes in a value that was retained. Of two dates the later one counts.
    mutating func take(_ value: RetainedValue) {
        switch value {
        case .total(_, let totals):
            let counts = Counts(totals.totals)
            total = total.map { $0.raised(to: counts) } ?? counts
        case .day(_, let totals):
            guard let new = LocalDate(totals.date), date.map({ $0 <= new }) ?? true else { return }
            let counts = Counts(totals.totals)
            day = date == new ? day.map { $0.raised(to: counts) } ?? counts : counts
            date = new
        }
    }

    /// The totals for ever that readers may be given instead of these.
    func raised(_ counts: Counts) -> Counts { total.map { counts.raised(to: $0) } ?? counts }

    /// The totals of a date that readers may be given instead of these.
    func raised(_ counts: Counts, on date: LocalDate) -> Counts {
        guard let day, date == self.date else { return counts }
        return counts.raised(to: day)
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
}

extension HistoryStore {
    /// Which of some devices something was ever erased of.
    func erased(among devices: some Collection<DeviceID>) async throws(HistoryError) -> Set<DeviceID> {
        guard !devices.isEmpty else { return [] }
        let names = Array(devices)
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                names.map { SQLStatement("SELECT id FROM erasures WHERE device = $1 LIMIT 1", [.text("\($0)")]) })
            return Set(zip(names, results).compactMap { device, result in result.rows.isEmpty ? nil : device })
        }
    }
}
