import StrideClient
import Synchronization
import Wire

/// What is known of each device at the moment, as a table: what was published and, where there is one, the truth.
final class LiveTable: Sendable {
    /// The most devices of a table.
    static let maximumDevices = 10_000
    /// A moving device sends a cadence once a second; after this it is no longer shown.
    static let silence = Duration.seconds(5)

    private let entries = Mutex<[DeviceID: LiveEntry]>([:])
    private let connectionProblem = Mutex<String?>(nil)
    private let showsTruth: Bool
    private let emptyTrace: CadenceTrace

    /// An empty table, with the true numbers beside the counted ones or not, and with traces for the columns of a table
    /// or for `panel(of:at:)`.
    init(showsTruth: Bool = false, isPanel: Bool = false) {
        self.showsTruth = showsTruth
        emptyTrace =
            isPanel ? CadenceTrace(stretches: 60, each: .seconds(5)) : CadenceTrace(stretches: 15, each: .seconds(8))
    }

    func note(_ devices: [PlayedDevice]) {
        entries.withLock { entries in
            for device in devices {
                entries[device.id, default: LiveEntry(trace: emptyTrace)].trueSteps = device.trueSteps
                entries[device.id]?.trueRevolutions = device.trueRevolutions
            }
        }
    }

    /// Takes a message of the bus.
    func note(_ event: BusEvent, at now: ContinuousClock.Instant) {
        guard let device = event.device else { return }
        entries.withLock { entries in
            guard entries[device] != nil || entries.count < Self.maximumDevices else { return }
            entries[device, default: LiveEntry(trace: emptyTrace)].note(event, at: now)
        }
    }

    /// Takes what is wrong with the connection to the bus; nil while there is one.
    func note(connectionProblem problem: String?) {
        connectionProblem.withLock { $0 = problem }
    }

    /// What is wrong with the connection, if anything.
    var problem: String? { connectionProblem.withLock { $0 } }

    private var connectionLines: [StyledLine] {
        problem.map { [StyledLine($0, .heading)] } ?? []
    }

    /// What is wrong with the connection, if anything; how many devices do what, and a row a device in alphabetical
    /// order.
    func lines(at now: ContinuousClock.Instant) -> [StyledLine] {
        let devices = entries.withLock { $0 }.sorted { $0.key < $1.key }
        var table = TextTable(
            columns: [
                .words("device"), .words("doing"), .numbers("cadence"), .words("last 2 minutes"), .numbers("sure"),
                .numbers("today"), .numbers("total"),
            ] + (showsTruth ? [.numbers("true")] : []) + [.words("problem")])
        for (device, entry) in devices {
            let truth = showsTruth ? [entry.truth] : []
            table.append([device.description] + entry.cells(at: now) + truth + [entry.problem ?? ""])
        }
        let rows = table.lines
        return connectionLines
            + [StyledLine(Self.summary(devices.map(\.value), at: now)), StyledLine(rows[0], .heading)]
            + zip(rows.dropFirst(), devices).map { StyledLine($0, $1.value.style(at: now)) }
    }

    /// One device, as large as a terminal can: what it does, its cadence of the last five minutes, and its totals.
    /// On a terminal of fewer columns the traces begin later.
    func panel(of device: DeviceID, at now: ContinuousClock.Instant, columns: Int = 80) -> [StyledLine] {
        let entry = entries.withLock { $0[device] } ?? LiveEntry(trace: emptyTrace)
        return connectionLines + entry.panel(of: device, at: now, columns: columns)
    }

    /// A JSON object a device in alphabetical order: device, doing, cadence_rpm or cadence_spm while it moves, steps
    /// and revolutions for ever, problem.
    func objects(at now: ContinuousClock.Instant) -> [[UInt8]] {
        entries.withLock { $0 }.sorted { $0.key < $1.key }.map { $1.object(of: $0, at: now) }
    }

    /// One line about a device, for a pipe.
    func line(about device: DeviceID) -> String? {
        guard let entry = entries.withLock({ $0[device] }) else { return nil }
        let totals = [entry.steps.map { " steps=\($0)" }, entry.revolutions.map { " revolutions=\($0)" }]
        return "\(device) \(entry.activity.name) \(entry.cadenceText)" + totals.compactMap { $0 }.joined()
    }

    private static func summary(_ entries: [LiveEntry], at now: ContinuousClock.Instant) -> String {
        let moving = entries.filter { $0.standing(at: now) == .moving }
        let cycling = moving.count { $0.rpm != nil }
        let still = entries.count { $0.standing(at: now) == .still }
        let away = entries.count - moving.count - still
        let problems = entries.count { $0.problem != nil }
        let parts = ["\(cycling) cycling", "\(moving.count - cycling) on foot", "\(still) still"]
        let more = [away > 0 ? "\(away) away" : nil, problems > 0 ? "\(problems) with a problem" : nil]
        return (parts + more.compactMap { $0 }).joined(separator: ", ")
    }
}

/// A device's latest.
struct LiveEntry {
    /// What of it may be shown as live, and the word for what it is doing.
    enum Standing: String {
        /// Its cadence has just come.
        case moving
        /// Its cadence is 0.
        case still
        /// It moved, and then nothing came for a while.
        case silent = "no news"
        /// No cadence has come yet.
        case waiting
        case offline
    }

    private(set) var activity = ActivityKind.unknown
    private(set) var rpm: Double?
    private(set) var spm: Double?
    private(set) var problem: String?
    /// Totals for ever; nil until they have come.
    private(set) var steps: UInt64?
    private(set) var revolutions: UInt64?
    var trueSteps: Int?
    var trueRevolutions: Int?
    private var confidence = 0.0
    private var isOffline = false
    private var cadenceAt: ContinuousClock.Instant?
    /// History's last totals.
    private var total: DeviceTotals?
    private var stepsToday = TodayCount()
    private var revolutionsToday = TodayCount()
    private var trace: CadenceTrace
    private var confidenceTrace: CadenceTrace

    init(trace: CadenceTrace) {
        self.trace = trace
        confidenceTrace = trace
    }

    mutating func note(_ event: BusEvent, at now: ContinuousClock.Instant) {
        switch event {
        case .cadence(_, let report):
            (rpm, spm, confidence, cadenceAt) = (report.rpm, report.spm, report.confidence, now)
            if let value {
                trace.take(value, at: now)
                confidenceTrace.take(value > 0 ? confidence : 0, at: now)
            }
            if value ?? 0 > 0 { activity = report.state }
            if let counted = report.revolutions {
                revolutions = max(revolutions ?? 0, counted)
                revolutionsToday.take(live: counted, at: report.t)
            }
        case .steps(_, let report):
            steps = max(steps ?? 0, report.total)
            stepsToday.take(live: report.total, at: report.t)
        case .activity(_, let report): activity = report.activity
        case .total(_, let total):
            if let known = self.total, total.steps < known.steps || total.revolutions < known.revolutions {
                // What was counted has been deleted.
                (steps, revolutions, stepsToday, revolutionsToday) = (nil, nil, TodayCount(), TodayCount())
            }
            self.total = total
            // History is behind the counter.
            (steps, revolutions) = (max(steps ?? 0, total.steps), max(revolutions ?? 0, total.revolutions))
            stepsToday.take(total: total.steps, revision: total.revision)
            revolutionsToday.take(total: total.revolutions, revision: total.revision)
        case .day(_, let totals):
            stepsToday.take(totals, totals.steps)
            revolutionsToday.take(totals, totals.revolutions)
        case .health(_, let health): problem = health.ok ? nil : health.problem
        case .status(_, let isOnline): isOffline = !isOnline
        case .service: return
        }
    }

    private var value: Double? { rpm ?? spm }

    func standing(at now: ContinuousClock.Instant) -> Standing {
        guard !isOffline else { return .offline }
        guard let cadenceAt, let value else { return .waiting }
        guard value > 0 else { return .still }
        return cadenceAt.duration(to: now) > LiveTable.silence ? .silent : .moving
    }

    var cadenceText: String { DecimalText.cadence(rpm: rpm, spm: spm) }

    /// From what it is doing to its total.
    func cells(at now: ContinuousClock.Instant) -> [String] {
        let standing = standing(at: now)
        let isLive = standing == .moving || standing == .still
        let isBike = rpm != nil || (revolutions ?? 0) > (steps ?? 0)
        let total = isBike ? revolutions : steps
        return [
            standing == .moving ? activity.name : standing.rawValue, isLive ? cadenceText : "–",
            Sparkline.text(trace.values(at: now), top: top),
            standing == .moving ? DecimalText.fixed(confidence, decimals: 2) : "",
            (isBike ? revolutionsToday : stepsToday).count.map { "\($0)" } ?? "", total.map { "\($0)" } ?? "",
        ]
    }

    /// Cadences above are drawn as this one: revolutions or steps a minute.
    private var top: Double { rpm == nil ? 200 : 130 }

    func panel(of device: DeviceID, at now: ContinuousClock.Instant, columns: Int) -> [StyledLine] {
        let cells = cells(at: now)
        let sure = standing(at: now) == .moving ? ", \(DecimalText.fixed(confidence * 100, decimals: 0)) % sure" : ""
        var counted: [String] = []
        if let steps = stepsToday.count, let revolutions = revolutionsToday.count {
            counted.append("today   \(counts(steps, revolutions))")
        }
        if steps != nil || revolutions != nil { counted.append("total   \(counts(steps ?? 0, revolutions ?? 0))") }
        let cadences = trace.values(at: now).suffix(max(20, columns - 8))
        let confidences = confidenceTrace.values(at: now).suffix(cadences.count)
        let since = "\(cadences.count * 5) s ago"
        let gap = String(repeating: " ", count: cadences.count - since.count - 3)
        let lines = [
            StyledLine("\(device)  \(cells[0])  \(cells[1])\(sure)", style(at: now) == .faint ? .faint : .heading),
            StyledLine("cadence \(Sparkline.text(Array(cadences), top: top))", style(at: now)),
            StyledLine("sure    \(Sparkline.text(Array(confidences), top: 1))", .faint),
            StyledLine("        \(since)\(gap)now", .faint),
        ]
        return lines + (counted + [problem].compactMap { $0 }).map { StyledLine($0) }
    }

    /// `40 steps`, `12 revolutions` or both; what is 0 is left out beside what is not, and steps on a bike.
    private func counts(_ steps: UInt64, _ revolutions: UInt64) -> String {
        let parts = [
            steps > 0 || (revolutions == 0 && rpm == nil) ? "\(steps) steps" : nil,
            revolutions > 0 || (steps == 0 && rpm != nil) ? "\(revolutions) revolutions" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    var truth: String { trueRevolutions.flatMap { $0 > 0 ? "\($0)" : nil } ?? trueSteps.map { "\($0)" } ?? "" }

    func style(at now: ContinuousClock.Instant) -> StyledLine.Style {
        guard standing(at: now) == .moving else { return standing(at: now) == .still ? .plain : .faint }
        return switch activity {
        case .cycling: .cycling
        case .walking: .walking
        case .running: .running
        case .automotive: .driving
        case .stationary, .unknown: .plain
        }
    }

    func object(of device: DeviceID, at now: ContinuousClock.Instant) -> [UInt8] {
        let standing = standing(at: now)
        return JSONWriter.object { writer in
            writer.field("device", device.description)
            writer.field("doing", cells(at: now)[0])
            if standing == .moving || standing == .still {
                if let rpm { writer.field("cadence_rpm", rpm, decimals: 2) }
                if let spm { writer.field("cadence_spm", spm, decimals: 2) }
            }
            if let steps { writer.field("steps", steps) }
            if let revolutions { writer.field("revolutions", revolutions) }
            if let problem { writer.field("problem", problem) }
        }
    }
}
