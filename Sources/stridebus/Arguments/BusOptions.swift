import ArgumentParser
import ServiceKit
import MQTT

/// Where the bus is.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The broker, mqtt://host:1883 or mqtts://user:password@host:8883.", valueName: "url"))
    var broker: String?

    @Option(help: ArgumentHelp("The first levels of every topic (default: stride).", valueName: "topic"))
    var root: String?

    @Option(help: ArgumentHelp("5 or 3.1.1 (default: 5).", valueName: "version"))
    var mqttVersion: String?

    @Option(help: ArgumentHelp("Certificates to trust for mqtts:// (default: the system's).", valueName: "file"))
    var tlsCaFile: String?

    @Option(help: ArgumentHelp("Our certificate for mqtts://.", valueName: "file"))
    var tlsCertificateFile: String?

    @Option(help: ArgumentHelp("The key of our certificate.", valueName: "file"))
    var tlsKeyFile: String?

    /// The options that were given, by configuration key.
    var flags: [String: String] {
        var flags: [String: String] = [:]
        flags["broker"] = broker
        flags["root"] = root
        flags["mqtt-version"] = mqttVersion
        flags["tls-ca-file"] = tlsCaFile
        flags["tls-certificate-file"] = tlsCertificateFile
        flags["tls-key-file"] = tlsKeyFile
        return flags
    }
}
