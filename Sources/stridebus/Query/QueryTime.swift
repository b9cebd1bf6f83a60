public import ArgumentParser
import Lab
public import Wire

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
            .words(data.device.map { "\($0)" } ?? data.person ?? ""), .numbers(data.days.last?.date ?? "today"),
            .words("last \(days.count) days"),
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
        return CountColumns.table(
            rows, under: [.words("date")], data.days.map { [$0.date] }, then: [.words("zone")],
            data.days.map { [$0.zone] })
    }
}

struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval (default: since the day began).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.ask(stretch.request(.historyInterval), as: IntervalData.self, table: Self.table)
    }

    private static func table(_ data: IntervalData, _ clock: LocalClock) -> TextTable {
        let unit = data.resolutionSeconds == 60 ? "minutes" : "days"
        let known = data.distanceActiveSeconds.flatMap { $0 < data.activeSeconds ? $0 : nil }
        let rows: [(name: String, text: String?)] = [
            ("from", "\(clock.text(data.from)) (\(clock.zone))"), ("to", clock.text(data.to)),
            ("", data.cutsResolution ? "rounded up: only whole \(unit) are known" : nil),
            ("steps", data.steps > 0 || data.revolutions == 0 ? "\(data.steps) (\(data.strides) strides)" : nil),
            ("revolutions", data.revolutions > 0 ? "\(data.revolutions)" : nil),
            ("distance", data.distanceMetres > 0 ? text(data.distanceMetres, "m", decimals: 1) : nil),
            (
                "floors",
                data.floors.flatMap { data.steps > 0 ? "\($0.ascended) up, \($0.descended) down" : nil }
            ),
            ("active", DecimalText.clock(seconds: data.activeSeconds)),
            (
                "with a distance",
                known.map { "\(DecimalText.clock(seconds: $0)); pace and speed are those of this time" }
            ),
            ("covered", DecimalText.clock(seconds: data.coveredSeconds)),
            ("cadence", data.rpm.map { text($0, "rpm") }), ("cadence", data.spm.map { text($0, "spm") }),
            ("pace", data.paceAverageSecondsPerMetre.map { text($0, "s/m", decimals: 2) }),
            ("speed", data.speedAverageKilometresPerHour.map { text($0, "km/h", decimals: 1) }),
            ("now", text(data.now)),
        ]
        var table = TextTable(columns: [.words("what"), .words(data.device.map { "\($0)" } ?? data.person ?? "")])
        for case (let name, let text?) in rows { table.append([name, text]) }
        return table
    }

    private static func text(_ now: MomentaryFigures) -> String? {
        let figures = [
            now.cadenceRPM.map { text($0, "rpm", decimals: 1) }, now.cadenceSPM.map { text($0, "spm", decimals: 1) },
            now.paceSecondsPerMetre.map { text($0, "s/m", decimals: 2) },
        ].compactMap(\.self)
        return figures.isEmpty ? nil : figures.joined(separator: ", ")
    }

    private static func text(_ cadence: CadenceFigures, _ unit: String) -> String {
        let values = [cadence.average, cadence.minimum, cadence.maximum].map { DecimalText.fixed($0, decimals: 1) }
        return "\(values[0]) \(unit) (\(values[1]) to \(values[2]))"
    }

    private static func text(_ value: Double, _ unit: String, decimals: Int) -> String {
        "\(DecimalText.fixed(value, decimals: decimals)) \(unit)"
    }
}

extension Bucket: ExpressibleByArgument {}

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
        let rows = data.buckets.map { CountColumns.Row(totals: $0.totals, rpm: $0.rpm?.average, spm: $0.spm?.average) }
        return CountColumns.table(
            rows, under: [.words("start (\(clock.zone))")],
            data.buckets.map { [clock.text($0.start, of: data.bucket)] })
    }
}

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
