import ArgumentParser
import Logging
import ServiceKit
import ServiceLifecycle
import Wire

/// All services in one process, with a private broker unless one is named.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run all three services, with a private broker unless --broker names one.",
        discussion: """
            The private broker listens on 127.0.0.1 only and keeps its state in the data directory. To let bikes on \
            your network connect, run your own broker with users and passwords and name it with --broker. It serves \
            the page that deploy/page makes, to browsers on this machine.
            """)

    @OptionGroup var service: ServiceOptions

    @OptionGroup var page: PageOptions

    @Option(help: "The private broker's port; 0 takes any free one.")
    var port: Int = 1883

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port): give 0 to 65535; 0 takes any free one")
        }
    }

    func run() async throws {
        let run = try await service.prepare(
            ServiceName.allCases, privateBroker: .onPort(port, showsPage: true), page: page)
        if let pageURL = run.pageURL { run.logger.notice("the page is at \(pageURL)") }
        try await run.group().run()
    }
}
