import ArgumentParser
import Counter
import Foundation
import History
import Lab
import Logging
import ServiceKit
import ServiceLifecycle
import Wire

struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run all three services, with a private broker unless --broker names one.",
        discussion: """
            The private broker listens on 127.0.0.1 only and keeps its state in the data directory; it serves the page \
            that deploy/page makes. With --network it listens on the network, with TLS and users: the first start makes \
            an authority, a certificate and an operator, and says how to go on; 'stridebus users' makes more users.
            """)

    @OptionGroup var service: ServiceOptions

    @OptionGroup var page: PageOptions

    @OptionGroup var network: NetworkOptions

    @Option(help: "The private broker's port; 0 takes any free one.")
    var port: Int = 1883

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port): give 0 to 65535; 0 takes any free one")
        }
    }

    func run() async throws {
        let run = try await service.prepare(
            ServiceName.allCases, privateBrokerPort: port, page: page, network: network)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        if let welcome = run.welcome { welcome.lines(isTerminal: isTerminal).forEach(Output.line) }
        if let pageURL = run.pageURL {
            // The login in the address is for who started it, and not for readers of a journal.
            if isTerminal { Output.line("The page: \(pageURL)") }
            let plain = pageURL.split(separator: "#").first.map(String.init) ?? pageURL
            run.logger.notice("the page is at \(plain), its login in broker/page-password of the data directory")
        }
        try await run.group().run()
    }
}

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Run ingest: raw frames in, motion batches out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.ingest]).group().run()
    }
}

struct CounterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter",
        abstract:
            "Run counter: motion batches in; cadence, steps and minute rows out. Or change which partitions it counts.",
        subcommands: [RunCounter.self, AdoptPartitions.self], defaultSubcommand: RunCounter.self)
}

struct RunCounter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run counter (the default).")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.counter]).group().run()
    }
}

struct AdoptPartitions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Take over from another counter what it has of this one's --partitions, while both are stopped.",
        discussion: """
            Stop ingest, and a few seconds later both counters. Then this moves the devices, their minutes and what is known of \
            their frames from the other's folder into --data. Start each counter with its new --partitions, then ingest. What \
            devices send meanwhile waits with the broker.
            """)
    @Argument(help: "The data folder of the other counter.", completion: .directory) var folder: String
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        let reader = try ConfigurationSources(flags: service.flags, file: service.source.config).reader()
        let configuration = try CounterConfiguration(config: reader)
        let count = try await CounterAdoption(configuration, from: folder).run()
        Output.line(
            "\(configuration.directory) counts the partitions \(configuration.partitions), and has \(count) devices of \(folder)"
        )
    }
}

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Run history: minute rows in, answers out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.history]).group().run()
    }
}

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Try a bus from end to end: broker, limits, permissions, services, clocks and who sends.",
        discussion: """
            Everything is tried with real messages, because neither a granted subscription nor an acknowledged message \
            proves a permission. It publishes below {root}/reply/ alone; with --device also an empty message on each \
            topic of that device, which ingest refuses. The exit code is 0 unless something FAILs.
            """)

    @OptionGroup var client: ClientOptions

    @Option(
        help: "Also try what this device must be allowed, as the user in --broker.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Flag(help: "Only ask the broker and the services, as a monitor does.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Also look at the backups in this folder, of which there is one a day.", valueName: "directory"),
        completion: .directory)
    var backups: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("How long to listen to the bus.", valueName: "time"))
    var duration = DurationSeconds(seconds: 10)

    func run() async throws {
        var doctor = BusDoctor(bus: try client.settings())
        doctor.device = device
        doctor.listenSeconds = duration.seconds
        doctor.isQuick = quick
        var isWell = await doctor.run { $0.lines.forEach(Output.line) }
        if let backups {
            let finding = DataBackup.finding(in: backups, nowSeconds: Int(Date().timeIntervalSince1970))
            finding.lines.forEach(Output.line)
            isWell = isWell && finding.grade != .bad
        }
        if !isWell { throw ExitCode.failure }
    }
}
