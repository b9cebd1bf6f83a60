import StrideClient
import Synchronization
import Wire

/// What is known of each device at the moment, as a table.
final class LiveTable: Sendable {
    /// The most devices of a table.
    static let maximumDevices = 10_000
    /// A moving device sends a cadence once a second; after this it is no longer shown.
    static let silence = Duration.seconds(5)

    private let entries = Mutex<[DeviceID: LiveEntry]>([:])
    private let connectionProblem = Mutex<String?>(nil)

    /// Takes a message of the bus.
    func note(_ event: BusEvent, at now: ContinuousClock.Instant) {
        guard let device = event.device else { return }
        entries.withLock { entries in
            guard entries[device] != nil || entries.count < Self.maximumDevices else { return }
            entries[device, default: LiveEntry()].note(event, at: now)
        }
    }

    /// Takes what is wrong with the connection to the bus; nil while there is one.
    func note(connectionProblem problem: String?) {
        connectionProblem.withLock { $0 = problem }
    }

    /// What is wrong with the connection, if anything.
    var problem: String? { connectionProblem.withLock { $0 } }

    /// What is wrong with the connection, if anything; how many devices do what, and a row a device in alphabetical
    /// order.
    func lines(at now: ContinuousClock.Instant) -> [String] {
        let devices = entries.withLock { $0 }.sorted { $0.key < $1.key }
        var table = TextTable(columns: [
            .words("device"), .words("doing"), .numbers("cadence"), .numbers("sure"), .numbers("today"),
            .numbers("total"), .words("problem"),
        ])
        for (device, entry) in devices {
            table.append([device.description] + entry.cells(at: now) + [entry.problem ?? ""])
        }
        return [problem, Self.summary(devices.map(\.value), at: now)].compactMap(\.self) + table.lines
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
    private(set) var watts: Double?
    private(set) var bpm: Double?
    private(set) var problem: String?
    /// Totals for ever without what was deleted; nil until they have come.
    var steps: UInt64? { stepsToday.knownTotal }
    var revolutions: UInt64? { revolutionsToday.knownTotal }
    private var confidence = 0.0
    private var isOffline = false
    private var cadenceAt: ContinuousClock.Instant?
    private var stepsToday = TodayCount()
    private var revolutionsToday = TodayCount()

    mutating func note(_ event: BusEvent, at now: ContinuousClock.Instant) {
        switch event {
        case .cadence(_, let report):
            (rpm, spm, confidence, cadenceAt) = (report.cadenceRPM, report.cadenceSPM, report.confidence, now)
            if value ?? 0 > 0 { activity = report.activity }
            if let counted = report.revolutions { revolutionsToday.take(live: counted, at: report.t) }
        case .steps(_, let report):
            stepsToday.take(live: report.steps, new: UInt64(clamping: report.newSteps), at: report.t)
        case .heart(_, let report): bpm = report.bpm
        case .power(_, let report): watts = report.watts
        case .activity(_, let report): activity = report.activity
        case .total(_, let total):
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

    /// The cadence, and power and heart rate where a sensor tells them.
    var cadenceText: String {
        let readings = [(watts, "W"), (bpm, "bpm")].compactMap { number, unit in
            number.map { DecimalText.fixed($0, decimals: 0) + " " + unit }
        }
        return ([DecimalText.cadence(rpm: rpm, spm: spm)] + readings).joined(separator: ", ")
    }

    /// From what it is doing to its total.
    func cells(at now: ContinuousClock.Instant) -> [String] {
        let standing = standing(at: now)
        let isLive = standing == .moving || standing == .still
        let isBike = rpm != nil || (revolutions ?? 0) > (steps ?? 0)
        let total = isBike ? revolutions : steps
        return [
            standing == .moving ? activity.name : standing.rawValue, isLive ? cadenceText : "–",
            standing == .moving ? DecimalText.fixed(confidence, decimals: 2) : "",
            (isBike ? revolutionsToday : stepsToday).count.map { "\($0)" } ?? "", total.map { "\($0)" } ?? "",
        ]
    }
}
