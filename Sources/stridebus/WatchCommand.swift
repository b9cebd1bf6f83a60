import ArgumentParser
import Lab
import Wire

/// A live table of the bus, or what one device does.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, or about one, live.",
        discussion: """
            On a terminal a table is redrawn in place; in a pipe each cadence or step report is a line. Of one device \
            each cadence, pause and resumption is a line, and with --every N each N steps counted from the start.
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

    func validate() throws {
        guard device == nil || !json else {
            throw ValidationError("--json is for all devices; leave --device out, and take yours from the lines")
        }
        guard every == nil || device != nil else { throw ValidationError("--every needs --device") }
        guard every.map({ HistoryRequest.everyRange.contains(Int(clamping: $0)) }) ?? true else {
            throw ValidationError("--every must be 1 to \(HistoryRequest.everyRange.upperBound)")
        }
    }

    func run() async throws {
        guard let device else {
            let watch = Watch(observer: try asking.client.observer(), seconds: duration?.seconds, printsJSON: json)
            return try await watch.run()
        }
        try await asking.withBus { bus in
            try await DeviceWatch(bus: bus, device: device, every: every, seconds: duration?.seconds).run()
        }
    }
}
