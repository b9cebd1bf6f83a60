public import Configuration
import Foundation

/// Where configuration comes from: flags before the environment before a file.
///
/// Every source is checked against `ConfigurationKey.all`, so that a misspelt key is told and not passed over.
public struct ConfigurationSources: Sendable {
    private var flags: [String: String]
    private let environment: [String: String]
    private let file: String?

    /// Takes the sources.
    ///
    /// - Parameters:
    ///   - flags: values given on the command line, by key.
    ///   - environment: the environment, the process's own where it is nil; only names that start with `STRIDEBUS_` are looked at.
    ///   - file: the path of a JSON object with one member a key; `STRIDEBUS_CONFIG` where it is nil.
    public init(
        flags: [String: String] = [:], environment: [String: String]? = nil,
        file: String? = nil
    ) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.flags = flags
        self.environment = environment.filter { $0.key.hasPrefix("STRIDEBUS_") }
        self.file = file ?? environment["STRIDEBUS_CONFIG"]
    }

    /// The same sources, with a broker that is stronger than any they name.
    package func naming(broker url: String) -> ConfigurationSources {
        var copy = self
        copy.flags["broker"] = url
        return copy
    }

    /// The reader that the parts of stridebus are configured from.
    public func reader() throws(LaunchError) -> ConfigReader {
        let fromFile = try fileValues()
        let fromEnvironment = try environmentValues()
        for (name, value) in flags { try Self.check(name, value, source: "--\(name)") }
        let layers = [flags, fromEnvironment, fromFile].map { layer in
            EnvironmentVariablesProvider(environmentVariables: Self.asVariables(layer))
        }
        return ConfigReader(providers: layers)
    }

    /// Variables that steer the development of stridebus and are no configuration of it.
    private static let foreignVariables: Set<String> = [
        "STRIDEBUS_CONFIG", "STRIDEBUS_RECORDINGS", "STRIDEBUS_SEED", "STRIDEBUS_SEEDS", "STRIDEBUS_ZONES",
    ]

    private func environmentValues() throws(LaunchError) -> [String: String] {
        var values: [String: String] = [:]
        for (variable, value) in environment where !Self.foreignVariables.contains(variable) {
            let name = ConfigurationKey.all.first { $0.environmentName == variable }?.name ?? variable
            try Self.check(name, value, source: "environment variable \(variable)")
            values[name] = value
        }
        return values
    }

    private func fileValues() throws(LaunchError) -> [String: String] {
        guard let file else { return [:] }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw LaunchError(.unreadableFile, "cannot read the configuration file \(file): check its path and rights")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw LaunchError(
                .unreadableFile, "\(file) is not a JSON object such as {\"broker\": \"mqtt://localhost\"}")
        }
        var values: [String: String] = [:]
        for (name, value) in object {
            let list = value is [Any] ? try? JSONSerialization.data(withJSONObject: value) : nil
            let text = list.map { String(decoding: $0, as: UTF8.self) } ?? (value as? String) ?? "\(value)"
            try Self.check(name, text, source: "\(file)")
            values[name] = text
        }
        return values
    }

    private static func check(_ name: String, _ value: String, source: String) throws(LaunchError) {
        guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else {
            let known = ConfigurationKey.all.map(\.name).joined(separator: ", ")
            throw LaunchError(.unknownKey, "\(source): there is no key '\(name)'; the keys are \(known)")
        }
        guard key.accepts(value) else {
            throw LaunchError(.wrongValue, "\(source): '\(value)' is no value for '\(name)': \(key.meaning)")
        }
    }

    private static func asVariables(_ layer: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: layer.map { ($0.key.uppercased().replacing("-", with: "_"), $0.value) })
    }
}
