import ArgumentParser
import Lab
import StrideClient
import Wire

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, or about one, live.",
        discussion: """
            On a terminal a table is redrawn in place, a line a device. In a pipe each report is a line; of one device each \
            cadence, pause and resumption, and with --every N each N steps counted from the start. --once shows what is so \
            now and ends.
            """)

    @OptionGroup var asking: AskingOptions

    @Option(help: "Only this device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: ArgumentHelp("Print a line at every so many steps of --device.", valueName: "steps"))
    var every: UInt64?

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "time"))
    var duration: DurationSeconds?

    @Flag(help: #"Print a line an event: {"device","channel","payload"}."#)
    var json = false

    @Flag(help: "Show the devices once and end, after 3 s or the time that --for gives.")
    var once = false

    func validate() throws {
        guard every == nil || device != nil else { throw ValidationError("--every needs --device") }
        guard !(json && once) else { throw ValidationError("--json prints what comes; leave out --once") }
        guard every == nil || !(json || once) else {
            throw ValidationError("--every prints lines as steps are counted; leave out --json and --once")
        }
        guard every != 0 else { throw ValidationError("--every must be 1 or more") }
    }

    func run() async throws {
        if let device, every != nil || !(json || once || LiveScreen.isTerminal) {
            return try await asking.withBus { bus in
                try await DeviceWatch(bus: bus, device: device, every: every, seconds: duration?.seconds).run()
            }
        }
        let form: Watch.Form = once ? .table : json ? .events : .live
        let observer = try asking.client.observer()
        try await Watch(observer: observer, form: form, seconds: duration?.seconds, device: device).run()
    }
}

/// Shows what one device does: its cadence, its pauses, and how far it has come at every so many steps.
private struct DeviceWatch {
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
            group.addTask { try await Output.untilNobodyReads() }
            if let every { group.addTask { try await showSteps(every: every) } }
            if let seconds { group.addTask { try await Task.sleep(for: .seconds(seconds)) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func showCadence() async {
        for await report in Cadence(bus: bus, device: device).reports {
            line(
                report.t,
                "\(DecimalText.cadence(rpm: report.cadenceRPM, spm: report.cadenceSPM)) \(report.activity.name)")
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
