/// The address of a broker, and the user to log in as.
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

/// The certificates of an `mqtts://` connection.
public struct MQTTTLS: Sendable, Hashable {
    /// A PEM file with the certificates to trust; `nil` means those of the system (`/etc/ssl/certs`).
    public var caFile: String?
    /// Our own certificate (PEM), together with `keyFile`.
    public var certificateFile: String?
    /// The unencrypted private key of `certificateFile` (PEM).
    public var keyFile: String?
    /// Accepts a certificate whose name is not the host's. For tests only.
    public var allowsInsecureHostname: Bool

    /// TLS with these files.
    public init(
        caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        allowsInsecureHostname: Bool = false
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.allowsInsecureHostname = allowsInsecureHostname
    }
}

/// Reads `mqtt[s]://[user[:password]@]host[:port]`.
struct EndpointParser {
    let url: String

    mutating func endpoint() throws(MQTTError) -> MQTTEndpoint {
        let (isTLS, afterScheme) = try scheme()
        var authority = afterScheme
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard !authority.contains(where: { "/?# ".contains($0) }) else {
            throw advice("there is something after the port")
        }
        var endpoint = MQTTEndpoint(host: "", port: isTLS ? 8883 : 1883, tls: isTLS ? MQTTTLS() : nil)
        if let at = authority.lastIndex(of: "@") {
            try readUser(authority[..<at], into: &endpoint)
            authority = authority[authority.index(after: at)...]
        }
        try readHost(authority, into: &endpoint)
        return endpoint
    }

    private func scheme() throws(MQTTError) -> (isTLS: Bool, rest: Substring) {
        let lowercase = url.lowercased()
        if lowercase.hasPrefix("mqtt://") { return (false, url.dropFirst(7)) }
        if lowercase.hasPrefix("mqtts://") { return (true, url.dropFirst(8)) }
        throw advice("it does not begin with mqtt:// or mqtts://")
    }

    private func readUser(_ text: Substring, into endpoint: inout MQTTEndpoint) throws(MQTTError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = parts.first, !user.isEmpty else { throw advice("the user name before @ is empty") }
        endpoint.username = try decoded(user)
        if parts.count == 2 { endpoint.password = try decoded(parts[1]) }
    }

    private func readHost(_ text: Substring, into endpoint: inout MQTTEndpoint) throws(MQTTError) {
        var rest = text
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw advice("a ] is missing after the IPv6 address") }
            endpoint.host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw advice("something follows the ]") }
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            endpoint.host = String(rest[..<end])
            rest = rest[end...]
        }
        guard !endpoint.host.isEmpty else { throw advice("the host is missing") }
        guard rest.hasPrefix(":") else { return }
        guard let port = UInt16(rest.dropFirst()), port > 0 else {
            throw advice("the port must be a number from 1 to 65535")
        }
        endpoint.port = Int(port)
    }

    private func decoded(_ text: Substring) throws(MQTTError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                throw advice("% is not followed by two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let string = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw advice("user or password is not UTF-8")
        }
        return string
    }

    /// The password stays out of the message.
    private func advice(_ problem: String) -> MQTTError {
        MQTTError(
            .invalidEndpoint,
            "the broker address is not understood, \(problem): write mqtt://user:password@host:1883 or mqtts://host:8883"
        )
    }
}
