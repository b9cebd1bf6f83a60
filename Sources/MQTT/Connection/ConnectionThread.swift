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
