import Lab
import StrideClient
import Wire

/// Shows what one device does: its cadence, its pauses, and how far it has come at every so many steps.
struct DeviceWatch: Sendable {
    let bus: StrideBus
    let device: DeviceID
    /// There is a line at every so many steps; none without it.
    let every: UInt64?
    /// The time to watch, in seconds; nil until the task is cancelled.
    let seconds: Double?

    /// There is a line of today's steps at every so many.
    private static let stepsBetweenLines: UInt64 = 100

    /// Watches.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await showCadence() }
            group.addTask { await showEvents() }
            group.addTask { await showToday() }
            if let every { group.addTask { try await showSteps(every: every) } }
            if let seconds { group.addTask { try await Task.sleep(for: .seconds(seconds)) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func showCadence() async {
        for await report in Cadence(bus: bus, device: device).reports {
            line(report.t, "\(DecimalText.cadence(rpm: report.rpm, spm: report.spm)) \(report.state.name)")
        }
    }

    private func showEvents() async {
        for await event in Pedometer(bus: bus, device: device).events {
            line(event.t, event.kind == .pause ? "paused" : "moving")
        }
    }

    /// The steps of today: at once, at the device's midnight, and else once in a while.
    private func showToday() async {
        var shown: StepsToday?
        for await today in Pedometer(bus: bus, device: device).today {
            let isNew = shown.map { $0.date != today.date || today.steps >= $0.steps + Self.stepsBetweenLines } ?? true
            guard isNew else { continue }
            shown = today
            Output.line("\(today.date) \(device) \(today.steps) steps today")
        }
    }

    private func showSteps(every: UInt64) async throws {
        for try await data in Pedometer(bus: bus, device: device).updates(every: every) {
            let distance = data.distanceMetres.map { ", \(DecimalText.fixed($0, decimals: 0)) m" } ?? ""
            line(data.end, "\(data.steps) steps\(distance)")
        }
    }

    private func line(_ seconds: Double, _ words: String) {
        Output.line("\(TimePoint.instant(seconds: seconds.rounded()).text) \(device) \(words)")
    }
}
