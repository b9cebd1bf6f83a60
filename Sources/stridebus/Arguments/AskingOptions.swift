import ArgumentParser
import ServiceKit
import Configuration
import StrideClient
import Wire

/// What every subcommand that asks history has.
struct AskingOptions: ParsableArguments {
    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp(
            "The key to ask with, where history protects requests; better in STRIDEBUS_KEY, which nobody else sees.",
            valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("How long to wait for an answer, or for each page of a long one.", valueName: "time"))
    var timeout = DurationSeconds(seconds: StrideBus.usualTimeoutSeconds)

    /// Asks on a connection of its own.
    func withBus<Result>(_ body: (StrideBus) async throws -> Result) async throws -> Result {
        let bus = try bus()
        do {
            let result = try await body(bus)
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }

    private func bus() throws -> StrideBus {
        var flags: [String: String] = [:]
        flags["key"] = key
        let reader = try client.reader(flags: flags)
        let settings = try BusSettings(config: reader)
        let key = reader.string(forKey: "key", isSecret: true)
        guard key.map({ $0.utf8.count <= RequestKey.lengths.upperBound }) ?? true else {
            throw ValidationError("--key is longer than \(RequestKey.lengths.upperBound) bytes")
        }
        return try StrideBus(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version,
            timeoutSeconds: timeout.seconds, key: key)
    }
}
