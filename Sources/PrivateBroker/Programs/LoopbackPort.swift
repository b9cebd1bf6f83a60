import Glibc

package enum LoopbackPort {
    /// Below those from which Linux makes connections, which may take one at any moment (ip(7), `ip_local_port_range`).
    private static let ports = 20_000..<32_768
    private static let tries = 100

    /// A port that was free a moment ago. Another program may take it before the broker does: start again then.
    package static func free() throws(BrokerError) -> Int {
        for _ in 0..<tries {
            let port = Int.random(in: ports)
            if !accepts(port: port) { return port }
        }
        throw .noFreePort
    }

    /// True if something accepts connections there.
    ///
    /// - Parameter address: Another address of this machine, where it is not 127.0.0.1.
    package static func accepts(port: Int, address: String? = nil) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address ?? "127.0.0.1", "\(port)", &hints, &found) == 0, let place = found?.pointee else {
            return false
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(place.ai_family, place.ai_socktype, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return connect(descriptor, place.ai_addr, place.ai_addrlen) == 0
    }
}
