public import StrideClient
import Synchronization
public import Wire

/// What is known of each device at the moment: what the bus says and, where there is one, the truth.
public final class DeviceBoard: Sendable {
    /// A device's latest.
    struct Entry {
        var origin = ""
        var activity = ActivityKind.unknown
        var rpm: Double?
        var spm: Double?
        var confidence = 0.0
        /// Totals; nil until somebody has told them.
        var steps: UInt64?
        var revolutions: UInt64?
        var problem: String?
        var trueSteps: Int?
        var trueRevolutions: Int?
    }

    /// The most devices on a board.
    public static let maximumDevices = 10_000

    private let entries = Mutex<[DeviceID: Entry]>([:])
    private let showsTruth: Bool

    /// An empty board.
    ///
    /// - Parameter showsTruth: whether the true numbers are shown beside the counted ones.
    public init(showsTruth: Bool = false) {
        self.showsTruth = showsTruth
    }

    /// Takes the truth so far.
    public func note(_ devices: [PlayedDevice]) {
        entries.withLock { entries in
            for device in devices {
                entries[device.id, default: Entry()].origin = device.origin
                entries[device.id]?.trueSteps = device.trueSteps
                entries[device.id]?.trueRevolutions = device.trueRevolutions
            }
        }
    }

    /// Takes what the bus said.
    public func note(_ event: BusEvent) {
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
    public var lines: [String] {
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
    public func line(about device: DeviceID) -> String? {
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
