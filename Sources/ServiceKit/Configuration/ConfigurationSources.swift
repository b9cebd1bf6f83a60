package import Configuration
import Foundation

/// Where configuration comes from: flags before the environment before a file.
///
/// Every source is checked against ``ConfigurationKey/all``, so that a misspelt key is refused by its name and not
/// passed over.
package struct ConfigurationSources: Sendable {
    private var flags: [String: String]
    private let environment: [String: String]
    private let file: String?

    /// Variables that steer the development of stridebus and are no configuration of it.
    private static let foreignVariables: Set<String> = [
        "STRIDEBUS_CONFIG", "STRIDEBUS_RECORDINGS", "STRIDEBUS_SEED", "STRIDEBUS_SEEDS", "STRIDEBUS_WHOLE",
        "STRIDEBUS_ZONES",
    ]

    /// Takes the sources.
    ///
    /// - Parameters:
    ///   - flags: The values given on the command line, by key.
    ///   - environment: The environment, the process's own where it is nil; of it the names that start with
    ///     `STRIDEBUS_`.
    ///   - file: The path of a JSON object with one member a key; `STRIDEBUS_CONFIG` where it is nil.
    package init(flags: [String: String] = [:], environment: [String: String]? = nil, file: String? = nil) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        self.flags = flags
        self.environment = environment.filter {
            $0.key.hasPrefix("STRIDEBUS_") && !Self.foreignVariables.contains($0.key)
        }
        self.file = file ?? environment["STRIDEBUS_CONFIG"]
    }

    /// The same sources, with a broker that is stronger than any they name.
    package func naming(broker url: String) -> ConfigurationSources {
        var copy = self
        copy.flags[ConfigurationKey.broker.name] = url
        return copy
    }

    /// The reader that the parts of stridebus are configured from.
    package func reader() throws(LaunchError) -> ConfigReader {
        for (name, text) in flags {
            try Self.check(text, of: try Self.key(name, source: "--\(name)") { $0.name }, source: "--\(name)")
        }
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

    /// Text that is read as a number where one is asked for, as variables of the environment are.
    private static func provider(_ values: [String: String]) -> EnvironmentVariablesProvider {
        EnvironmentVariablesProvider(
            environmentVariables: Dictionary(
                uniqueKeysWithValues: values.map { ($0.key.uppercased().replacing("-", with: "_"), $0.value) }))
    }

    private func fileValues() throws(LaunchError) -> [String: String] {
        guard let file else { return [:] }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw LaunchError(.unreadableFile, "cannot read the configuration file \(file): check its path and rights")
        }
        guard let members = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw LaunchError(
                .unreadableFile, "\(file) is not a JSON object such as {\"broker\": \"mqtt://localhost\"}")
        }
        var values: [String: String] = [:]
        for (name, member) in members {
            let key = try Self.key(name, source: file) { $0.name }
            guard let text = Self.text(of: member, key.kind) else { throw Self.wrong("this", for: key, source: file) }
            try Self.check(text, of: key, source: file)
            values[name] = text
        }
        return values
    }

    /// The text of a member of the file; a number may stand for text such as a version. `nil` for what is no value.
    private static func text(of member: Any, _ kind: ConfigurationKey.Kind) -> String? {
        if let text = member as? String { return text }
        if kind == .list {
            let list = (member as? [Any]).flatMap { try? JSONSerialization.data(withJSONObject: $0) }
            return list.map { String(decoding: $0, as: UTF8.self) }
        }
        return (member as? Int).map { "\($0)" }.flatMap { member is Bool ? nil : $0 }
    }

    private static func key(
        _ name: String, source: String, spelling: (ConfigurationKey) -> String
    ) throws(LaunchError) -> ConfigurationKey {
        guard let key = ConfigurationKey.all.first(where: { spelling($0) == name }) else {
            let known = ConfigurationKey.all.map(spelling).joined(separator: ", ")
            throw LaunchError(.unknownKey, "\(source): there is no key '\(name)'; the keys are \(known)")
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
        LaunchError(.wrongValue, "\(source): \(value) is no value for '\(key.name)': \(key.meaning)")
    }
}

/// Why stridebus did not start; `description` is one line that says what is wrong and how to mend it.
package struct LaunchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Code: Sendable, Hashable {
        /// A configuration key that nothing reads.
        case unknownKey
        /// A configuration value of the wrong type.
        case wrongValue
        /// A configuration file that is absent or not JSON.
        case unreadableFile
        /// A port that another program listens on.
        case portTaken
        /// A directory that cannot be made or written.
        case unwritableDirectory
    }

    /// What went wrong.
    package let code: Code
    /// The line for a person.
    package let description: String

    /// An error from its parts.
    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
