/// A key that some part of stridebus reads: `--key` on the command line, `STRIDEBUS_KEY` in the environment, `"key"` in
/// the file. Options, the check of environment and file, and the documentation all come from this list.
package struct ConfigurationKey: Sendable, Hashable {
    /// The form of a value.
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
