public import ArgumentParser
import Lab
public import Wire

/// Today, and the week that it is in.
struct QueryToday: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Today's totals by the device's own calendar, and the last seven days as bars.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .historyDays, device: device)
        try await options.askAll(request, as: DaysData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DaysData) -> TextTable {
        let days = data.days.map { CountColumns.Row(totals: $0.totals) }
        let zone = data.days.last?.zone ?? "UTC"
        var table = TextTable(columns: [
            .words("\(data.device)"), .numbers(data.days.last?.date ?? "today"), .words("last \(days.count) days"),
            .numbers("together (\(zone))"),
        ])
        let sum = days.reduce(into: CountColumns.Row()) { $0.totals += $1.totals }
        for column in CountColumns(days).shown where column != .covered {
            table.append([
                column == .floorsDown ? "floors down" : column.rawValue, days.last.map(column.text) ?? "",
                Sparkline.text(days.map { column.value($0) ?? 0 }), column.text(sum),
            ])
        }
        return table
    }
}

extension Totals {
    fileprivate static func += (sum: inout Totals, day: Totals) {
        sum.steps += day.steps
        sum.revolutions += day.revolutions
        sum.distanceMetres += day.distanceMetres
        sum.activeSeconds += day.activeSeconds
        sum.coveredSeconds += day.coveredSeconds
        guard let floors = day.floors else { return }
        sum.floors = FloorCounts(
            ascended: (sum.floors?.ascended ?? 0) + floors.ascended,
            descended: (sum.floors?.descended ?? 0) + floors.descended)
    }
}

/// Totals a calendar day.
struct QueryDays: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Totals of each calendar day in the device's zone (default: the last 7 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(stretch.request(.historyDays), as: DaysData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DaysData) -> TextTable {
        let rows = data.days.map { CountColumns.Row(totals: $0.totals) }
        let counts = CountColumns(rows)
        var table = TextTable(columns: [.words("date")] + counts.columns + [.words("zone"), .words("")])
        table.append(
            zip(data.days, zip(rows, CountColumns.bars(rows))).map { day, drawn in
                ([day.date] + counts.cells(drawn.0) + [day.zone, drawn.1], drawn.0.isEmpty)
            })
        return table
    }
}

/// One record for an interval.
struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval (default: since the day began).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.ask(stretch.request(.historyInterval), as: IntervalData.self, table: Self.table)
    }

    private static func table(_ data: IntervalData, _ clock: LocalClock) -> TextTable {
        var table = TextTable(columns: [.words("what"), .words("\(data.device)")])
        table.append(["from", "\(clock.text(data.from)) (\(clock.zone))"])
        table.append(["to", clock.text(data.to)])
        if data.cutsResolution {
            let unit = data.resolutionSeconds == 60 ? "minutes" : "hours"
            table.append(["", "rounded up: only whole \(unit) are known"])
        }
        appendCounts(data, to: &table)
        if let rpm = data.rpm { table.append(["cadence", text(rpm, "rpm")]) }
        if let spm = data.spm { table.append(["cadence", text(spm, "spm")]) }
        appendSpeeds(data, to: &table)
        appendNow(data.now, to: &table)
        return table
    }

    private static func appendCounts(_ data: IntervalData, to table: inout TextTable) {
        if data.steps > 0 || data.revolutions == 0 {
            table.append(["steps", "\(data.steps) (\(data.strides) strides)"])
        }
        if data.revolutions > 0 { table.append(["revolutions", "\(data.revolutions)"]) }
        if data.distanceMetres > 0 {
            table.append(["distance", DecimalText.fixed(data.distanceMetres, decimals: 1) + " m"])
        }
        if data.steps > 0, let floors = data.floors {
            table.append(["floors", "\(floors.ascended) up, \(floors.descended) down"])
        }
        table.append(["active", DecimalText.clock(seconds: data.activeSeconds)])
        if let known = data.distanceActiveSeconds, known < data.activeSeconds {
            let clock = DecimalText.clock(seconds: known)
            table.append(["with a distance", "\(clock); pace and speed are those of this time"])
        }
        table.append(["covered", DecimalText.clock(seconds: data.coveredSeconds)])
    }

    private static func appendSpeeds(_ data: IntervalData, to table: inout TextTable) {
        if let pace = data.paceAverageSecondsPerMetre {
            table.append(["pace", DecimalText.fixed(pace, decimals: 2) + " s/m"])
        }
        if let speed = data.speedAverageKilometresPerHour {
            table.append(["speed", DecimalText.fixed(speed, decimals: 1) + " km/h"])
        }
    }

    private static func appendNow(_ now: MomentaryFigures, to table: inout TextTable) {
        let figures = [
            now.cadenceRPM.map { DecimalText.fixed($0, decimals: 1) + " rpm" },
            now.cadenceSPM.map { DecimalText.fixed($0, decimals: 1) + " spm" },
            now.paceSecondsPerMetre.map { DecimalText.fixed($0, decimals: 2) + " s/m" },
        ].compactMap { $0 }
        if !figures.isEmpty { table.append(["now", figures.joined(separator: ", ")]) }
    }

    private static func text(_ cadence: CadenceFigures, _ unit: String) -> String {
        let values = [cadence.average, cadence.minimum, cadence.maximum].map { DecimalText.fixed($0, decimals: 1) }
        return "\(values[0]) \(unit) (\(values[1]) to \(values[2]))"
    }
}

extension Bucket: ExpressibleByArgument {}

/// An interval in buckets.
struct QuerySeries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "An interval in buckets of minutes, hours, days, weeks or months.")

    @OptionGroup var stretch: StretchOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = stretch.request(.historySeries)
        request.bucket = bucket
        try await options.askAll(request, as: SeriesData.self, table: Self.table)
    }

    private static func table(_ data: SeriesData, _ clock: LocalClock) -> TextTable {
        let rows = data.buckets.map {
            CountColumns.Row(totals: $0.totals, rpm: $0.rpm?.average, spm: $0.spm?.average)
        }
        let counts = CountColumns(rows)
        var table = TextTable(columns: [.words("start (\(clock.zone))")] + counts.columns + [.words("")])
        table.append(
            zip(data.buckets, zip(rows, CountColumns.bars(rows))).map { bucket, drawn in
                ([clock.text(bucket.start, of: data.bucket)] + counts.cells(drawn.0) + [drawn.1], drawn.0.isEmpty)
            })
        return table
    }
}

/// The activity of the wearer.
struct QueryActivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract:
            "What the wearer of a device, or a person with all devices, did, stretch after stretch (default: today).")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person.")
    var person: String?

    @OptionGroup var times: TimeOptions
    @OptionGroup var options: QueryOptions

    func validate() throws {
        guard (device == nil) != (person == nil) else {
            throw ValidationError("say whose activity: give --device or --person")
        }
    }

    func run() async throws {
        var request = times.request(.historyActivity, of: device)
        request.person = person
        try await options.askAll(request, as: ActivityData.self, table: Self.table)
    }

    private static func table(_ data: ActivityData, _ clock: LocalClock) -> TextTable {
        let rows = data.segments.map { segment in
            CountColumns.Row(totals: Totals { ($0.steps, $0.revolutions) = (segment.steps, segment.revolutions) })
        }
        let counts = CountColumns(rows)
        let columns = zip(counts.shown, counts.columns).filter { $0.0 == .steps || $0.0 == .revolutions }
        var table = TextTable(
            columns: [
                .words("start (\(clock.zone))"), .numbers("lasted"), .words("activity"), .words("confidence"),
            ] + columns.map(\.1))
        for (segment, row) in zip(data.segments, rows) {
            table.append(
                [
                    clock.text(segment.start), DecimalText.clock(seconds: segment.end - segment.start),
                    segment.activity.name, segment.confidence.rawValue,
                ] + columns.map { $0.0.text(row) })
        }
        return table
    }
}
