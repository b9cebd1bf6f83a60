import ArgumentParser
import Lab
import Wire

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, or about one, live.",
        discussion: """
            On a terminal a table is redrawn in place, or one device with its cadence of the last minutes; colours are \
            left out where NO_COLOR is set. In a pipe each report is a line; of one device each cadence, pause and \
            resumption, and with --every N each N steps counted from the start. --once shows what is so now and ends.
            """)

    @OptionGroup var asking: AskingOptions

    @Option(help: "Only this device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: ArgumentHelp("Print a line at every so many steps of --device.", valueName: "steps"))
    var every: UInt64?

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "time"))
    var duration: DurationSeconds?

    @Flag(help: #"Print a line an event: {"device","channel","payload"}; with --once a line a device."#)
    var json = false

    @Flag(help: "Show the devices once and end, after 3 s or the time that --for gives.")
    var once = false

    func validate() throws {
        guard every == nil || device != nil else { throw ValidationError("--every needs --device") }
        guard every == nil || !(json || once) else {
            throw ValidationError("--every prints lines as steps are counted; leave out --json and --once")
        }
        guard every.map({ HistoryRequest.everyRange.contains(Int(clamping: $0)) }) ?? true else {
            throw ValidationError("--every must be 1 to \(HistoryRequest.everyRange.upperBound)")
        }
    }

    func run() async throws {
        if let device, every != nil || !(json || once || LiveScreen().isTerminal) {
            return try await asking.withBus { bus in
                try await DeviceWatch(bus: bus, device: device, every: every, seconds: duration?.seconds).run()
            }
        }
        let form: Watch.Form = once ? (json ? .objects : .table) : (json ? .events : .live)
        let observer = try asking.client.observer()
        try await Watch(observer: observer, form: form, seconds: duration?.seconds, device: device).run()
    }
}
