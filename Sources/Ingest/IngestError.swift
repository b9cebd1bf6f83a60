public import ServiceKit
public import MQTT

/// Why ingest does not run; `description` is one line that says what to do.
public enum IngestError: Error, Sendable, CustomStringConvertible {
    /// A configuration value that cannot be used.
    case setting(SettingError)
    /// The broker turned us away in a way that patience does not mend.
    case broker(MQTTError)

    /// Another ingest works on the same bus, and goes first.
    case rival

    /// One line: what is wrong and how to mend it.
    public var description: String {
        switch self {
        case .setting(let error): error.description
        case .rival: "ingest: another ingest reads the same bus: stop it, or give this one another --root"
        case .broker(let error): "ingest cannot use the broker: \(error.message)"
        }
    }
}
