import Glibc

/// What the proxy needs of TCP on 127.0.0.1. Every call that fails answers with -1, and the link is then closed.
enum LoopbackSocket {
    /// How many may wait to be accepted.
    private static let backlog: Int32 = 256

    /// A socket that listens on a free port, and the port.
    static func listening() -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withPointer(to: &address) {
            bind(descriptor, $0, length) == 0 && listen(descriptor, backlog) == 0
                && getsockname(descriptor, $0, &length) == 0
        }
        guard isReady else {
            close(descriptor)
            return (-1, 0)
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection of a listening socket, or -1.
    static func accepted(by listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 { prepare(descriptor) }
        return descriptor
    }

    /// A connection to a port, or -1.
    static func connected(to port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = address(port: UInt16(clamping: port))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard withPointer(to: &address, { connect(descriptor, $0, length) }) == 0 else {
            close(descriptor)
            return -1
        }
        prepare(descriptor)
        return descriptor
    }

    /// Makes the close of a socket an RST, so that its peer sees a broken connection and no end.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withPointer<R>(
        to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> R
    ) -> R {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}
