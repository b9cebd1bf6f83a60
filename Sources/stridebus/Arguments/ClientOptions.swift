import ArgumentParser
import ServiceKit
import Configuration
import StrideClient
import Wire

/// What every subcommand that only talks to the bus has.
struct ClientOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

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
        try BusSettings(config: reader())
    }

    /// What is configured, with more options that were given, by configuration key.
    func reader(flags: [String: String] = [:]) throws -> ConfigReader {
        try ConfigurationSources(flags: bus.flags.merging(flags) { $1 }, file: source.config).reader()
    }
}
