/// The address of a broker, and the user to log in as.
public struct MQTTEndpoint: Sendable, Hashable {
    /// A host name or an address.
    public var host: String
    /// The TCP port.
    public var port: Int
    /// The user name, if the broker requires one.
    public var username: String?
    /// The password, if the broker requires one.
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

    /// TLS with these files.
    public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// Reads `mqtt[s]://[user[:password]@]host[:port]`.
extension MQTTEndpoint {
    /// An endpoint from `mqtt://user:password@host:1883` or `mqtts://host:8883`. The port may be left out; `%XX` is
    /// decoded in user and password.
    ///
    /// - Throws: ``MQTTError`` with ``MQTTError/Code-swift.struct/invalidEndpoint`` and a line with the problem.
    public init(_ url: String) throws(MQTTError) {
        let isTLS = url.lowercased().hasPrefix("mqtts://")
        guard isTLS || url.lowercased().hasPrefix("mqtt://") else {
            throw Self.advice("it does not begin with mqtt:// or mqtts://")
        }
        self.init(host: "", port: isTLS ? 8883 : 1883, tls: isTLS ? MQTTTLS() : nil)
        var authority = url.dropFirst(isTLS ? 8 : 7)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?# ".contains($0) }) else {
            throw Self.advice("there is something after the port")
        }
        if let at = authority.lastIndex(of: "@") {
            let user = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard !user[0].isEmpty else { throw Self.advice("the user name before @ is empty") }
            username = try Self.decoded(user[0])
            if user.count == 2 { password = try Self.decoded(user[1]) }
            authority = authority[at...].dropFirst()
        }
        try readHost(authority)
    }

    private mutating func readHost(_ text: Substring) throws(MQTTError) {
        var end = text.firstIndex(of: ":") ?? text.endIndex
        host = String(text[..<end])
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else {
                throw Self.advice("a ] is missing after the IPv6 address")
            }
            host = String(text[..<bracket].dropFirst())
            end = text.index(after: bracket)
        }
        guard !host.isEmpty else { throw Self.advice("the host is missing") }
        let rest = text[end...]
        guard !rest.isEmpty else { return }
        guard rest.hasPrefix(":") else { throw Self.advice("something follows the ]") }
        guard let port = UInt16(rest.dropFirst()), port > 0 else {
            throw Self.advice("the port must be a number from 1 to 65535")
        }
        self.port = Int(port)
    }

    private static func decoded(_ text: Substring) throws(MQTTError) -> String {
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
    private static func advice(_ problem: String) -> MQTTError {
        MQTTError(
            .invalidEndpoint,
            "the broker address is not understood, \(problem): write mqtt://user:password@host:1883 or mqtts://host:8883"
        )
    }
}
