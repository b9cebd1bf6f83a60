/// A key that some part of stridebus reads, as `--key` on the command line, `STRIDEBUS_KEY` in the environment or
/// `"key"` in the file.
public struct ConfigurationKey: Sendable, Hashable {
    /// What a value must look like.
    public enum Kind: Sendable, Hashable {
        /// Any text.
        case text
        /// A whole number.
        case integer
        /// `true` or `false`.
        case flag
    }

    /// The key, in lower case with dashes.
    public let name: String
    /// What a value must look like.
    public let kind: Kind
    /// What the key is for, with its default.
    public let meaning: String

    /// Every key there is.
    public static let all: [ConfigurationKey] = [
        .init(name: "broker", kind: .text, meaning: "URL of the MQTT broker, mqtt://… or mqtts://…"),
        .init(name: "root", kind: .text, meaning: "first levels of every topic (stride)"),
        .init(name: "data", kind: .text, meaning: "directory for the files of counter and history (stridebus-data)"),
        .init(
            name: "history-store", kind: .text,
            meaning: "where history is kept: a directory, or postgresql://user@host/database (the data directory)"),
        .init(name: "mqtt-version", kind: .text, meaning: "5 or 3.1.1 (5)"),
        .init(name: "tls-ca-file", kind: .text, meaning: "certificates to trust, for mqtts:// (the system's)"),
        .init(name: "tls-certificate-file", kind: .text, meaning: "our certificate, for mqtts:// (none)"),
        .init(name: "tls-key-file", kind: .text, meaning: "the key of our certificate (none)"),
        .init(name: "partitions", kind: .text, meaning: "partitions that this counter owns (0-63)"),
        .init(
            name: "synchronous", kind: .text, meaning: "full, or normal: a power cut may undo the last commits (full)"),
        .init(name: "zone", kind: .text, meaning: "IANA time zone of devices whose config names none (UTC)"),
        .init(name: "retention-days", kind: .integer, meaning: "for how many days minutes are kept, at least 7 (400)"),
        .init(
            name: "protected", kind: .text,
            meaning: "requests that need a key, such as people/forget,devices/forget (none)"
        ),
        .init(name: "protected-key", kind: .text, meaning: "the key that they need, 16 to 256 bytes (none)"),
        .init(name: "key", kind: .text, meaning: "the key to ask with, where history protects requests (none)"),
        .init(name: "sources", kind: .text, meaning: "JSON list of foreign topics that ingest reads (none)"),
        .init(
            name: "page", kind: .text,
            meaning: "the folder of the page that the private broker serves, or off (that beside the program)"),
        .init(
            name: "page-port", kind: .integer, meaning: "the page's port; 0 takes any free one (9001 where it is free)"),
        .init(name: "log-level", kind: .text, meaning: "trace, debug, info, notice, warning or error (info)"),
    ]

    /// The key's name as an environment variable.
    public var environmentName: String {
        "STRIDEBUS_" + name.uppercased().replacing("-", with: "_")
    }

    /// Whether a value has the key's kind.
    func accepts(_ value: String) -> Bool {
        switch kind {
        case .text: !value.isEmpty
        case .integer: Int(value) != nil
        case .flag: value == "true" || value == "false"
        }
    }
}
