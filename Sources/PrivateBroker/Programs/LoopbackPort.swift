import Glibc

/// Ports on 127.0.0.1.
package enum LoopbackPort {
    /// A port that was free a moment ago. Another program may take it before the broker does: start again then.
    package static func free() throws(BrokerError) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .noFreePort }
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withSocketAddress(&address) { bind(descriptor, $0, length) == 0 }
        guard isBound, withSocketAddress(&address, { getsockname(descriptor, $0, &length) }) == 0 else {
            throw .noFreePort
        }
        return Int(UInt16(bigEndian: address.sin_port))
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

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withSocketAddress<R>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> R
    ) -> R {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
