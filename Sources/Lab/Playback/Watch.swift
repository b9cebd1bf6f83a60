import MQTT
package import StrideClient
import Synchronization
package import Wire

/// Shows what the bus says about every device: a table in place on a terminal, lines in a pipe.
package struct Watch: Sendable {
    private let observer: BusObserver
    private let seconds: Double?
    private let printsJSON: Bool
    private let table = LiveTable()

    /// A watch that has not started.
    ///
    /// - Parameters:
    ///   - observer: what listens to the bus; it is closed at the end.
    ///   - seconds: how long to watch; nil watches until the task is cancelled.
    ///   - printsJSON: whether to print each event as a JSON object on a line of its own instead.
    package init(observer: BusObserver, seconds: Double?, printsJSON: Bool = false) {
        self.printsJSON = printsJSON
        self.observer = observer
        self.seconds = seconds
    }

    /// Watches.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    package func run() async throws {
        let isTerminal = LiveScreen().isTerminal && !printsJSON
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe { note($0, printsLines: !isTerminal) } }
            group.addTask { await tellConnection() }
            if isTerminal { group.addTask { await redraw() } }
            if let seconds {
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    await observer.close()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func note(_ event: BusEvent, printsLines: Bool) {
        guard !printsJSON else {
            if let line = event.encodedJSON() { Output.line(String(decoding: line, as: UTF8.self)) }
            return
        }
        table.note(event)
        guard printsLines else { return }
        switch event {
        case .cadence(let device, _), .steps(let device, _), .activity(let device, _):
            if let line = table.line(about: device) { Output.line(line) }
        default: return
        }
    }

    private func tellConnection() async {
        for await state in observer.connectionStates {
            if case .disconnected(let error) = state { Output.errorLine("watch: \(error.message); trying again") }
        }
    }

    private func redraw() async {
        var screen = LiveScreen()
        while !Task.isCancelled {
            Output.write(screen.redraw(table.lines))
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// What is known of each device at the moment: what the bus says and, where there is one, the truth.
package final class LiveTable: Sendable {
    /// A device's latest.
    struct Entry {
        var origin = ""
        var activity = ActivityKind.unknown
        var rpm: Double?
        var spm: Double?
        var confidence = 0.0
        /// Totals; nil until they have come.
        var steps: UInt64?
        var revolutions: UInt64?
        var problem: String?
        var trueSteps: Int?
        var trueRevolutions: Int?
    }

    /// The most devices on a board.
    package static let maximumDevices = 10_000

    private let entries = Mutex<[DeviceID: Entry]>([:])
    private let showsTruth: Bool

    /// An empty board.
    ///
    /// - Parameter showsTruth: whether the true numbers are shown beside the counted ones.
    package init(showsTruth: Bool = false) {
        self.showsTruth = showsTruth
    }

    /// Takes the truth so far.
    package func note(_ devices: [PlayedDevice]) {
        entries.withLock { entries in
            for device in devices {
                entries[device.id, default: Entry()].origin = device.origin
                entries[device.id]?.trueSteps = device.trueSteps
                entries[device.id]?.trueRevolutions = device.trueRevolutions
            }
        }
    }

    /// Takes what the bus said.
    package func note(_ event: BusEvent) {
        switch event {
        case .cadence(let device, let report):
            change(device) {
                ($0.rpm, $0.spm, $0.confidence) = (report.rpm, report.spm, report.confidence)
                if let revolutions = report.revolutions { $0.revolutions = max($0.revolutions ?? 0, revolutions) }
            }
        case .steps(let device, let report): change(device) { $0.steps = max($0.steps ?? 0, report.total) }
        case .activity(let device, let report): change(device) { $0.activity = report.activity }
        case .total(let device, let totals):
            change(device) { ($0.steps, $0.revolutions) = (totals.steps, totals.revolutions) }
        case .health(let device, let health): change(device) { $0.problem = health.ok ? nil : health.problem }
        case .day, .service: return
        }
    }

    /// The board as a table, devices in alphabetical order.
    package var lines: [String] {
        let entries = entries.withLock { $0 }
        var table = TextTable(
            columns: [
                .words("device"), .words("doing"), .numbers("rpm"), .numbers("spm"), .numbers("sure"),
                .numbers("steps"), .numbers("revolutions"),
            ] + (showsTruth ? [.numbers("true")] : []) + [.words("problem")])
        for (device, entry) in entries.sorted(by: { $0.key < $1.key }) {
            table.append(Self.cells(device, entry, showsTruth: showsTruth))
        }
        return table.lines
    }

    /// One line about a device, for a pipe.
    package func line(about device: DeviceID) -> String? {
        guard let entry = entries.withLock({ $0[device] }) else { return nil }
        let cadence =
            entry.rpm.map { "\(DecimalText.fixed($0, decimals: 1)) rpm" }
            ?? entry.spm.map { "\(DecimalText.fixed($0, decimals: 1)) spm" } ?? "–"
        let totals = [entry.steps.map { " steps=\($0)" }, entry.revolutions.map { " revolutions=\($0)" }]
        return "\(device) \(entry.activity.name) \(cadence)" + totals.compactMap { $0 }.joined()
    }

    private func change(_ device: DeviceID, _ body: (inout Entry) -> Void) {
        entries.withLock { entries in
            guard entries[device] != nil || entries.count < Self.maximumDevices else { return }
            body(&entries[device, default: Entry()])
        }
    }

    private static func cells(_ device: DeviceID, _ entry: Entry, showsTruth: Bool) -> [String] {
        let truth = [entry.trueSteps.map { "\($0) st" }, entry.trueRevolutions.map { "\($0) rev" }]
            .compactMap { $0 }.filter { !$0.hasPrefix("0 ") }.joined(separator: " ")
        let confidence =
            entry.rpm == nil && entry.spm == nil ? "" : DecimalText.fixed(entry.confidence, decimals: 2)
        let cadences = [entry.rpm, entry.spm].map { $0.map { DecimalText.fixed($0, decimals: 1) } ?? "" }
        let totals = [entry.steps, entry.revolutions].map { $0.map(String.init) ?? "" }
        let known = [device.description, entry.activity.name] + cadences + [confidence] + totals
        return known + (showsTruth ? [truth] : []) + [entry.problem ?? ""]
    }
}
