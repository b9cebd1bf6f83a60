package import Configuration
import Foundation
package import MQTT
package import Wire

/// The address of the bus and the version of MQTT; everything that connects reads them first.
package struct BusSettings: Sendable {
    package var endpoint: MQTTEndpoint
    package var topics: TopicTree
    package var version: MQTTVersion
    /// A secret word in the client ids of services; nil for none. Whoever connects to a broker with the client id of another
    /// takes that session over, whatever their user may do.
    package var clientKey: String?

    package static let usualBroker = "mqtt://localhost:1883"

    package init(
        endpoint: MQTTEndpoint, topics: TopicTree, version: MQTTVersion = .v5, clientKey: String? = nil
    ) {
        self.endpoint = endpoint
        self.topics = topics
        self.version = version
        self.clientKey = clientKey
    }

    /// Reads the settings, which ``ConfigurationKey`` explains.
    package init(config: ConfigReader) throws(SettingError) {
        endpoint = try Self.endpoint(config)
        topics = try Self.topics(config)
        version = try config.choice("mqtt-version", default: "5", among: ["5": .v5, "3.1.1": .v311])
        clientKey = config.string(forKey: "client-key", isSecret: true)
        if let clientKey, (try? DeviceID(clientKey)) == nil {
            throw SettingError(key: "client-key", problem: "is no word: write 1 to 63 of a-z, 0-9 and -")
        }
    }

    /// The client id of a service, or of a share of its work, without what it is for. No root and no key has a dot, so that
    /// no two of them make the same one.
    package func clientID(of service: String, share: DeviceID? = nil) -> String {
        let name = (["stridebus-\(service)-" + topics.root.replacing("/", with: ".")] + [clientKey].compactMap(\.self))
            .joined(separator: ".")
        return name + (share.map { "-\($0)" } ?? "")
    }

    private static func endpoint(_ config: ConfigReader) throws(SettingError) -> MQTTEndpoint {
        var endpoint: MQTTEndpoint
        do { endpoint = try MQTTEndpoint(config.string(forKey: "broker", default: usualBroker)) } catch {
            throw SettingError(key: "broker", problem: "is wrong: \(error.message)")
        }
        try logIn(&endpoint, config)
        guard endpoint.tls != nil else { return endpoint }
        endpoint.tls?.caFile = config.string(forKey: "tls-ca-file")
        endpoint.tls?.certificateFile = config.string(forKey: "tls-certificate-file")
        endpoint.tls?.keyFile = config.string(forKey: "tls-key-file")
        return endpoint
    }

    private static let maximumPasswordBytes = 4_096

    /// The user and password that are given beside the broker's address go before those in it.
    private static func logIn(_ endpoint: inout MQTTEndpoint, _ config: ConfigReader) throws(SettingError) {
        if let user = config.string(forKey: "user") { (endpoint.username, endpoint.password) = (user, nil) }
        if let file = config.string(forKey: "password-file") {
            guard let bytes = FileManager.default.contents(atPath: file), bytes.count <= maximumPasswordBytes,
                let text = String(validating: bytes, as: UTF8.self)
            else { throw SettingError(key: "password-file", problem: "is '\(file)', which cannot be read as text") }
            endpoint.password = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        } else if let password = config.string(forKey: "password", isSecret: true) {
            endpoint.password = password
        }
        guard endpoint.username != nil || endpoint.password == nil else {
            throw SettingError(key: "user", problem: "is missing beside a password: say whose it is")
        }
    }

    /// The topics below the root that is configured.
    package static func topics(_ config: ConfigReader) throws(SettingError) -> TopicTree {
        let root = config.string(forKey: "root", default: "stride")
        do { return try TopicTree(root: root) } catch {
            throw SettingError(
                key: "root", problem: "is '\(root)'; use one to four levels of a-z, 0-9, _ and -, such as gym/berlin")
        }
    }
}

/// A setting that makes no sense; `description` is one line that names it and says what to write.
package struct SettingError: Error, Sendable, Equatable, CustomStringConvertible {
    package let key: String
    /// The mistake in its value, and a value to write instead.
    package let problem: String

    package init(key: String, problem: String) {
        self.key = key
        self.problem = problem
    }

    package var description: String { "the setting '\(key)' \(problem)" }
}

extension ConfigReader {
    /// Reads a word that stands for one of a few values.
    package func choice<Value>(
        _ key: ConfigKey, default word: String, among choices: KeyValuePairs<String, Value>
    ) throws(SettingError) -> Value {
        let text = string(forKey: key, default: word)
        guard let choice = choices.first(where: { $0.key == text }) else {
            let words = choices.map(\.key).joined(separator: " or ")
            throw SettingError(key: "\(key)", problem: "is '\(text)'; write \(words)")
        }
        return choice.value
    }
}
