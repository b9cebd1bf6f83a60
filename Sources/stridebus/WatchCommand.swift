import ArgumentParser
import Lab
import StrideClient
import Wire

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, or about one, live.",
        discussion: """
            On a terminal a table is redrawn in place, a line a device. In a pipe each report is a line. With --every N there \
            is a line at each N steps of a device, counted from the start. --once shows what is so now and ends.
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
        if let device, let every { return try await showSteps(of: device, every: every) }
        let form: Watch.Form = once ? .table : json ? .events : .live
        let observer = try asking.client.observer()
        try await Watch(observer: observer, form: form, seconds: duration?.seconds, device: device).run()
    }

    private func showSteps(of device: DeviceID, every: UInt64) async throws {
        try await asking.withBus { bus in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await data in Pedometer(bus: bus, device: device).updates(every: every) {
                        let time = TimePoint.instant(seconds: data.end.rounded()).text
                        let distance = data.distanceMetres.map { ", \(DecimalText.fixed($0, decimals: 0)) m" } ?? ""
                        Output.line("\(time) \(device) \(data.steps) steps\(distance)")
                    }
                }
                group.addTask { try await Output.untilNobodyReads() }
                if let duration { group.addTask { try await Task.sleep(for: .seconds(duration.seconds)) } }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
