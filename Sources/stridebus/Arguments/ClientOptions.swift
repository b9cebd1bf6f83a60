import ArgumentParser
import BusConfiguration
import Launch
import StrideClient
import Wire

/// What every subcommand that only talks to the bus has.
struct ClientOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

    /// Asks on a connection of its own.
    func withBus<Result>(_ body: (StrideBus) async throws -> Result) async throws -> Result {
        let settings = try settings()
        let bus = try StrideBus(endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
        do {
            let result = try await body(bus)
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }

    /// Somebody who listens.
    func observer() throws -> BusObserver {
        let settings = try settings()
        return try BusObserver(endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
    }

    /// Somebody who sends frames.
    func publisher() throws -> MotionPublisher {
        let settings = try settings()
        return try MotionPublisher(endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
    }

    private func settings() throws -> BusSettings {
        try BusSettings(config: ConfigurationSources(flags: bus.flags, file: source.config).reader())
    }
}
