import ArgumentParser
import Playback

/// A live table of the bus.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what the bus says about every device, live.",
        discussion: "On a terminal a table is redrawn in place; in a pipe each cadence or step report is a line.")

    @OptionGroup var client: ClientOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "time"))
    var duration: DurationSeconds?

    @Flag(help: #"Print a line an event: {"device","channel","payload"}."#)
    var json = false

    func run() async throws {
        let watch = Watch(observer: try client.observer(), seconds: duration?.seconds, printsJSON: json)
        try await watch.run()
    }
}
