import ArgumentParser
import Wire

/// The first service of the path.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Run ingest: raw frames in, motion batches out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await StridebusRun.start(services: [.ingest], options: service, privateBroker: .none).group.run()
    }
}

/// The service that counts.
struct CounterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter", abstract: "Run counter: motion batches in; cadence, steps and minute rows out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await StridebusRun.start(services: [.counter], options: service, privateBroker: .none).group.run()
    }
}

/// The service that remembers.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Run history: minute rows in, answers out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await StridebusRun.start(services: [.history], options: service, privateBroker: .none).group.run()
    }
}
