import Glibc
import Synchronization

/// A connection on a thread of its own, with its states and its end.
struct ConnectionThread: Sendable {
    let states = ConnectionStates()
    let ending = ThreadEnding()

    /// Runs a connection until it is stopped or fails for good. The role is made on the thread that owns it.
    /// - Parameter onFailure: Called if the system has no thread left for the connection.
    func run<Role: ConnectionRole>(
        _ configuration: MQTTConnectionConfiguration, _ makeRole: @escaping @Sendable () -> Role,
        onFailure: (MQTTError) -> Void
    ) {
        let code = DetachedThread.start { [states, ending] in
            var loop = ConnectionLoop(configuration: configuration, states: states, role: makeRole())
            loop.run()
            ending.signal()
        }
        guard code != 0 else { return }
        let error = MQTTError(.systemResources, "no thread for a connection: \(String(cString: strerror(code)))")
        states.set(.failed(error))
        onFailure(error)
        ending.signal()
    }
}

enum DetachedThread {
    /// Starts a detached thread. Its body must signal its own end. Returns 0 or an errno.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let context = Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return code
        }
        pthread_detach(thread)
        return 0
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Lets tasks wait for the end of a thread without blocking.
package final class ThreadEnding: Sendable {
    private struct State {
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func signal() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }
}

/// A clock that never goes back (CLOCK_MONOTONIC), in seconds.
enum MonotonicClock {
    static var nowSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// Resolves the addresses of a host on a thread of its own: `getaddrinfo` may block for half a minute, and a connection
/// must be stoppable meanwhile.
final class HostResolution: Sendable {
    private let answer = Mutex<Result<[String], MQTTError>?>(nil)

    /// The numeric addresses in the resolver's order; `nil` while it is working.
    var result: Result<[String], MQTTError>? { answer.withLock { $0 } }

    /// True if the host is an IPv4 or IPv6 address already.
    static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    /// Starts to resolve a host, and signals when the result is there.
    static func start(host: String, wakeUp: WakeUp) -> HostResolution {
        let resolution = HostResolution()
        let code = DetachedThread.start {
            let result = resolve(host)
            resolution.answer.withLock { $0 = result }
            wakeUp.signal()
        }
        if code != 0 {
            let error = MQTTError(.systemResources, "no thread to look up '\(host)': too many threads?")
            resolution.answer.withLock { $0 = .failure(error) }
        }
        return resolution
    }

    private static func resolve(_ host: String) -> Result<[String], MQTTError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            return .failure(MQTTError(.hostNotFound, "the broker's host '\(host)' is not known: \(reason)"))
        }
        defer { freeaddrinfo(list) }
        return .success(sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap(numeric))
    }

    private static func numeric(_ entry: UnsafeMutablePointer<addrinfo>?) -> String? {
        guard let entry = entry?.pointee else { return nil }
        var text = [CChar](repeating: 0, count: 1_025)
        let code = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        return code == 0 ? text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
    }
}

/// The host that libmosquitto connects to.
struct BrokerRoute: Equatable {
    /// A numeric address, or with TLS the name that the certificate is checked against.
    let host: String
    /// The local address to connect from; `nil` for any. It limits the addresses of a host name to one family:
    /// libmosquitto skips addresses that it cannot bind for. Otherwise it would stay with the first address, because it
    /// does not wait for the connection.
    var bindAddress: String?
}
