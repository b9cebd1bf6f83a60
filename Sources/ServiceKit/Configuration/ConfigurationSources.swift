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
    package func reader() throws(SettingError) -> ConfigReader {
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
    private func fileValues() throws(SettingError) -> [ConfigurationKey: String] {
        guard let file else { return [:] }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw SettingError(key: "config", problem: "is \(file), which cannot be read: check its path and rights")
        }
        let json = try? Array(data).withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
        guard let object = json?.object else {
            throw SettingError(
                key: "config", problem: "is \(file), no JSON object such as {\"broker\": \"mqtt://localhost\"}")
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
    ) throws(SettingError) -> ConfigurationKey {
        guard let key = ConfigurationKey.all.first(where: { spelling($0) == name }) else {
            let known = ConfigurationKey.all.map(spelling).joined(separator: ", ")
            throw SettingError(key: name, problem: "of \(source) is not known; the keys are \(known)")
        }
        return key
    }

    private static func check(_ text: String, of key: ConfigurationKey, source: String) throws(SettingError) {
        let isRight =
            switch key.kind {
            case .text, .list: !text.isEmpty
            case .integer: Int(text) != nil
            }
        guard isRight else { throw wrong("'\(text)'", for: key, source: source) }
    }

    private static func wrong(_ value: String, for key: ConfigurationKey, source: String) -> SettingError {
        SettingError(key: key.name, problem: "of \(source) cannot be \(value): \(key.meaning)")
    }
}

/// A key that some part of stridebus reads: `--key` on the command line, `STRIDEBUS_KEY` in the environment, `"key"` in
/// the file. Options, the check of environment and file, and the documentation all come from this list.
package struct ConfigurationKey: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Text that is not empty; a JSON string in the file.
        case text
        /// A whole number; a JSON number in the file.
        case integer
        /// A JSON list, as it is in the file and as text elsewhere.
        case list
    }

    /// The key, in lower case with dashes.
    package let name: String
    package let kind: Kind
    /// The placeholder of a value in the help, such as `url`.
    package let valueName: String
    /// The purpose of the key, with its default in parentheses.
    package let meaning: String

    private init(_ name: String, _ valueName: String, kind: Kind = .text, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.valueName = valueName
        self.meaning = meaning
    }

    /// The beginning of the names of environment variables that are configuration.
    static let environmentPrefix = "STRIDEBUS_"

    /// The key's name as an environment variable.
    package var environmentName: String { Self.environmentPrefix + name.uppercased().replacing("-", with: "_") }
}

extension ConfigurationKey {
    package static let broker = Self(
        "broker", "url",
        "the MQTT broker, mqtt://host:1883 or mqtts://user:password@host:8883 (mqtt://localhost:1883)")
    package static let root = Self("root", "topic", "the first levels of every topic (stride)")
    package static let data = Self(
        "data", "directory", "where counter and history keep their files (stridebus-data)")
    package static let historyStore = Self(
        "history-store", "place",
        "where history is kept: a directory, or postgresql://user@host/database (the data directory)")
    package static let mqttVersion = Self("mqtt-version", "version", "5 or 3.1.1 (5)")
    package static let tlsCAFile = Self("tls-ca-file", "file", "certificates to trust, for mqtts:// (the system's)")
    package static let tlsCertificateFile = Self("tls-certificate-file", "file", "our certificate, for mqtts:// (none)")
    package static let tlsKeyFile = Self("tls-key-file", "file", "the key of our certificate (none)")
    package static let partitions = Self(
        "partitions", "range", "the partitions of the counter, where there are several: a range such as 0-31 (0-63)")
    package static let counters = Self(
        "counters", "ranges", "for ingest: the partitions of every counter, where there are several: 0-31,32-63 (0-63)")
    package static let zone = Self("zone", "zone", "the IANA time zone of devices whose config names none (UTC)")
    package static let retentionDays = Self(
        "retention-days", "days", kind: .integer,
        "for how many days history keeps minutes, at least 7; days stay for ever (400)")
    package static let keepTraces = Self(
        "keep-traces", "days", kind: .integer,
        "for how many days history keeps the seconds of minutes: cadence, power, heart rate (90)")
    package static let homeAssistant = Self(
        "home-assistant", "prefix",
        "announce devices to Home Assistant below this prefix, such as homeassistant (do not)")
    package static let sources = Self(
        "sources", "list", kind: .list, "the foreign topics that ingest reads, a JSON list (none)")
    package static let page = Self(
        "page", "directory", "the folder of the page that the private broker serves, or off (that beside the program)")
    package static let pagePort = Self(
        "page-port", "port", kind: .integer,
        "the page's port; 0 takes any free one (9001 where it is free; 8443 on the network)")
    package static let network = Self(
        "network", "on or off", "whether the private broker is on the network, with TLS and users (off)")
    package static let address = Self(
        "address", "address", "the only address of this machine to listen on, with --network (all)")
    package static let hostName = Self(
        "host-name", "name", "the name or address that others use, with --network (this machine's first address)")
    package static let tlsPort = Self(
        "tls-port", "port", kind: .integer, "the port of MQTT over TLS, with --network; 0 takes any free one (8883)")
    package static let plainPort = Self(
        "plain-port", "port", kind: .integer,
        "also listen without TLS, for boards that cannot do better: who listens in reads passwords (do not)")
    package static let certificate = Self(
        "certificate", "file", "a certificate for this machine's name, in PEM (one of an authority of its own)")
    package static let certificateKey = Self("certificate-key", "file", "the key of that certificate (none)")
    package static let user = Self("user", "name", "the user to log in as (the one in the broker's address)")
    package static let passwordFile = Self(
        "password-file", "file", "a file with the user's password; or STRIDEBUS_PASSWORD, or a prompt")
    /// In the environment or the file only: arguments are seen by everybody on the machine.
    package static let password = Self("password", "password", "the user's password, in the environment only")
    /// In the environment or the file only, as a password.
    package static let clientKey = Self(
        "client-key", "word",
        "a secret word in the client ids of services, so that no other user takes their sessions (none)")
    package static let logLevel = Self(
        "log-level", "level", "trace, debug, info, notice, warning or error (info)")

    package static let all: [ConfigurationKey] = [
        broker, root, data, historyStore, mqttVersion, tlsCAFile, tlsCertificateFile, tlsKeyFile, partitions, counters,
        zone, retentionDays, keepTraces, homeAssistant, sources, page, pagePort,
        network, address, hostName, tlsPort, plainPort, certificate, certificateKey, user, passwordFile, password,
        clientKey, logLevel,
    ]
}
