package import Configuration
import Foundation
import Wire

/// The sources of configuration: flags before the environment before a file.
///
/// Every source is checked against ``ConfigurationKey/all``, so that a misspelt key is refused by its name and not
/// passed over.
package struct ConfigurationSources: Sendable {
    private var flags: [ConfigurationKey: String]
    private let environment: [String: String]
    private let file: String?

    /// Variables that steer the development of stridebus and are no configuration of it.
    private static let foreignVariables: Set<String> = [
        "STRIDEBUS_CONFIG", "STRIDEBUS_RECORDINGS", "STRIDEBUS_SEED", "STRIDEBUS_SEEDS", "STRIDEBUS_WHOLE",
        "STRIDEBUS_ZONES", Supervisor.aliveVariable,
    ]

    /// Takes the sources.
    ///
    /// - Parameters:
    ///   - flags: The values given on the command line.
    ///   - environment: The environment, the process's own where it is nil; of it the names that start with
    ///     `STRIDEBUS_`.
    ///   - file: The path of a JSON object with one member a key; `STRIDEBUS_CONFIG` where it is nil.
    package init(
        flags: [ConfigurationKey: String] = [:], environment: [String: String]? = nil, file: String? = nil
    ) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.flags = flags
        self.environment = environment.filter {
            $0.key.hasPrefix(ConfigurationKey.environmentPrefix) && !Self.foreignVariables.contains($0.key)
        }
        self.file = file ?? environment["STRIDEBUS_CONFIG"]
    }

    /// The same sources, with a broker that is stronger than any they name, and what stands in client ids there.
    package func naming(broker url: String, clientKey: String) -> ConfigurationSources {
        var copy = self
        copy.flags[.broker] = url
        copy.flags[.clientKey] = clientKey
        return copy
    }

    /// The reader that the parts of stridebus are configured from.
    package func reader() throws(LaunchError) -> ConfigReader {
        for (key, text) in flags { try Self.check(text, of: key, source: "--\(key.name)") }
        for (variable, text) in environment {
            let source = "environment variable \(variable)"
            try Self.check(text, of: try Self.key(variable, source: source) { $0.environmentName }, source: source)
        }
        return ConfigReader(providers: [
            Self.provider(flags),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "stridebus"),
            Self.provider(try fileValues()),
        ])
    }

    /// A provider of text that is read as a number where one is asked for, as variables of the environment are.
    private static func provider(_ values: [ConfigurationKey: String]) -> EnvironmentVariablesProvider {
        EnvironmentVariablesProvider(
            environmentVariables: Dictionary(
                uniqueKeysWithValues: values.map {
                    (String($0.key.environmentName.dropFirst(ConfigurationKey.environmentPrefix.count)), $0.value)
                }))
    }

    /// The members of the file, checked. The JSON provider of swift-configuration does not serve: it refuses lists of
    /// objects (`sources`) and text written as a number (`"mqtt-version": 5`), and does not say which keys a file has.
    private func fileValues() throws(LaunchError) -> [ConfigurationKey: String] {
        guard let file else { return [:] }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw LaunchError("cannot read the configuration file \(file): check its path and rights")
        }
        let json = try? Array(data).withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
        guard let object = json?.object else {
            throw LaunchError("\(file) is not a JSON object such as {\"broker\": \"mqtt://localhost\"}")
        }
        var values: [ConfigurationKey: String] = [:]
        for member in object.members {
            let key = try Self.key(member.name, source: file) { $0.name }
            guard let text = Self.text(of: member.value, key.kind) else {
                throw Self.wrong("this", for: key, source: file)
            }
            try Self.check(text, of: key, source: file)
            values[key] = text
        }
        return values
    }

    /// The text of a member of the file; `nil` for a value of another kind.
    private static func text(of value: JSONValue, _ kind: ConfigurationKey.Kind) -> String? {
        switch (value, kind) {
        case (.string(let text), _): return text
        case (.integer(let number), .text), (.integer(let number), .integer): return "\(number)"
        case (.array, .list):
            var writer = JSONWriter()
            writer.value(value)
            return String(decoding: writer.bytes, as: UTF8.self)
        default: return nil
        }
    }

    private static func key(
        _ name: String, source: String, spelling: (ConfigurationKey) -> String
    ) throws(LaunchError) -> ConfigurationKey {
        guard let key = ConfigurationKey.all.first(where: { spelling($0) == name }) else {
            let known = ConfigurationKey.all.map(spelling).joined(separator: ", ")
            throw LaunchError("\(source): there is no key '\(name)'; the keys are \(known)")
        }
        return key
    }

    private static func check(_ text: String, of key: ConfigurationKey, source: String) throws(LaunchError) {
        let isRight =
            switch key.kind {
            case .text, .list: !text.isEmpty
            case .integer: Int(text) != nil
            }
        guard isRight else { throw wrong("'\(text)'", for: key, source: source) }
    }

    private static func wrong(_ value: String, for key: ConfigurationKey, source: String) -> LaunchError {
        LaunchError("\(source): \(value) is no value for '\(key.name)': \(key.meaning)")
    }
}

/// Why stridebus did not start: one line that says what is wrong and how to mend it.
package struct LaunchError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
