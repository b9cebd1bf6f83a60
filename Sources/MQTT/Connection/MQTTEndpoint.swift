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

extension MQTTEndpoint {
    /// An endpoint from `mqtt://user:password@host:1883` or `mqtts://host:8883`. The port may be left out; `%XX` is
    /// decoded in user and password.
    ///
    /// - Throws: ``MQTTError`` with ``MQTTError/Code-swift.enum/invalidEndpoint`` and a line with the form.
    public init(_ url: String) throws(MQTTError) {
        let form =
            #/
            (?i: mqtt (?<tls> s? ) ) ://
            (?: (?<user> [^:\/?\#\s]+ ) (?: : (?<password> [^\/?\#\s]* ) )? @ )?
            (?<host> \[ [^\]\s]+ \] | [^:@\/?\#\s\[\]]+ )
            (?: : (?<port> \d+ ) )? \/?
            /#
        guard let match = try? form.wholeMatch(in: url) else { throw Self.notUnderstood }
        let isTLS = !match.tls.isEmpty
        guard let port = match.port.map({ UInt16($0) }) ?? (isTLS ? 8883 : 1883), port > 0 else {
            throw Self.notUnderstood
        }
        let isBracketed = match.host.hasPrefix("[")
        self.init(
            host: String(isBracketed ? match.host.dropFirst().dropLast() : match.host), port: Int(port),
            username: try match.user.map(Self.decoded), password: try match.password.map(Self.decoded),
            tls: isTLS ? MQTTTLS() : nil)
    }

    private static func decoded(_ text: Substring) throws(MQTTError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                throw notUnderstood
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let string = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { throw notUnderstood }
        return string
    }

    /// The password stays out of the message.
    private static var notUnderstood: MQTTError {
        MQTTError(
            .invalidEndpoint,
            "the broker address is not understood: write mqtt://user:password@host:1883 or mqtts://host:8883, with other "
                + "characters than letters and digits in user and password as %XX")
    }
}
