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
