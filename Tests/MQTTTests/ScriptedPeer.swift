import Foundation
import Synchronization

/// A TCP server on a free loopback port that follows a script instead of a broker's rules: one script a connection,
/// the last one again for every further connection.
final class ScriptedPeer: Sendable {
    typealias Script = @Sendable (Connection) throws -> Void

    let port: Int
    private let listener: Int32
    private let acceptedCount = Mutex(0)

    init(_ scripts: [Script]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Failure.noSocket }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in serve(scripts) }
    }

    var connections: Int { acceptedCount.withLock { $0 } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ scripts: [Script]) {
        defer { close(listener) }
        while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
            let index = acceptedCount.withLock { count in
                count += 1
                return count - 1
            }
            let script = scripts[min(index, scripts.count - 1)]
            Thread.detachNewThread {
                let connection = Connection(descriptor: descriptor)
                // A script that fails closes its connection; the test sees that its answer is missing.
                try? script(connection)
                close(descriptor)
            }
        }
    }

    enum Failure: Error {
        case noSocket
        case closed
        case unexpected(UInt8)
    }

    /// A connection as its script sees it.
    struct Connection: Sendable {
        let descriptor: Int32

        init(descriptor: Int32) {
            self.descriptor = descriptor
            var deadline = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        }

        /// The next whole packet: its first byte and its body.
        func read() throws -> (type: UInt8, body: [UInt8]) {
            let first = try bytes(1)[0]
            var length = 0
            var shift = 0
            while true {
                let byte = try bytes(1)[0]
                length |= Int(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            return (first, try bytes(length))
        }

        /// Reads a packet that must be of this type.
        @discardableResult
        func expect(_ type: UInt8) throws -> [UInt8] {
            let packet = try read()
            guard packet.type & 0xF0 == type & 0xF0 else { throw Failure.unexpected(packet.type) }
            return packet.body
        }

        func write(_ bytes: [UInt8]) throws {
            guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw Failure.closed
            }
        }

        /// Reads CONNECT and accepts it (MQTT 3.1.1).
        func accept() throws {
            try expect(0x10)
            try write([0x20, 2, 0, 0])
        }

        /// Reads SUBSCRIBE and grants QoS 1 (MQTT 3.1.1).
        func grant() throws {
            let body = try expect(0x82)
            try write([0x90, 3, body[0], body[1], 1])
        }

        /// Sends a QoS 1 PUBLISH (MQTT 3.1.1) with a one-byte message id and a short topic.
        func publish(topic: [UInt8], id: UInt8, payload: [UInt8]) throws {
            let count = UInt8(truncatingIfNeeded: topic.count)
            let length = UInt8(truncatingIfNeeded: 4 + topic.count + payload.count)
            try write([0x32, length, 0, count] + topic + [0, id] + payload)
        }

        /// Reads until the other side closes.
        func drain() throws {
            while true { _ = try read() }
        }

        private func bytes(_ count: Int) throws -> [UInt8] {
            var result: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while result.count < count {
                let got = recv(descriptor, &chunk, min(chunk.count, count - result.count), 0)
                guard got > 0 else { throw Failure.closed }
                result += chunk[..<got]
            }
            return result
        }
    }
}
