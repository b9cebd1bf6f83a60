import ArgumentParser
import ServiceKit
import ServiceLifecycle
import Wire

/// The first service of the path.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Run ingest: raw frames in, motion batches out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.ingest], privateBroker: .none).group().run()
    }
}

/// The service that counts.
struct CounterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter", abstract: "Run counter: motion batches in; cadence, steps and minute rows out.")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.counter], privateBroker: .none).group().run()
    }
}
