/// Where a broker is and as whom to go there.
public struct MQTTEndpoint: Sendable, Hashable {
    /// A host name or an address.
    public var host: String
    /// The TCP port.
    public var port: Int
    /// The user name, if the broker wants one.
    public var username: String?
    /// The password, if the broker wants one.
    public var password: String?
    /// TLS options; `nil` for a plain connection.
    public var tls: MQTTTLS?

    /// An endpoint from its parts.
    public init(
        host: String, port: Int = 1883, username: String? = nil, password: String? = nil, tls: MQTTTLS? = nil
    ) {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.tls = tls
    }

    /// An endpoint from `mqtt://user:password@host:1883` or `mqtts://host:8883`. The port may be left out; `%XX` is
    /// decoded in user and password.
    ///
    /// - Throws: ``MQTTError`` with ``MQTTError/Code/invalidEndpoint`` and a line that says what is wrong.
    public init(_ url: String) throws(MQTTError) {
        var parser = EndpointParser(url: url)
        self = try parser.endpoint()
    }
}

extension MQTTEndpoint: CustomStringConvertible {
    /// The address without the password, fit for a log.
    public var description: String {
        let user = username.map { $0 + "@" } ?? ""
        let bracketedHost = host.contains(":") ? "[\(host)]" : host
        return "\(tls == nil ? "mqtt" : "mqtts")://\(user)\(bracketedHost):\(port)"
    }
}
