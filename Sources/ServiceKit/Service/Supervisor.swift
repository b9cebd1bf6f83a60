import Foundation
import ServiceLifecycle
import Synchronization
package import Wire

/// When the services of this process last went on, for its supervisor. A process runs each of them once.
package enum ServiceProgress {
    package struct State: Sendable, Equatable {
        /// Whether nothing that is published for the service can be missed any more.
        package var isReading = false
        /// The last time that the service's own loop went on, on the monotonic clock; `nil` before its first time.
        package var lastProgress: ContinuousClock.Instant?
    }

    private static let states = Mutex<[ServiceName: State]>([:])

    /// The service's loop goes on: also one that waits for a disk or a broker and tries again.
    package static func note(_ service: ServiceName) {
        states.withLock { $0[service, default: State()].lastProgress = .now }
    }

    package static func noteReading(_ service: ServiceName) {
        states.withLock { $0[service, default: State()].isReading = true }
    }

    package static var all: [ServiceName: State] { states.withLock { $0 } }
}

/// What the supervisor is to be told (sd_notify(3)), decided from the progress of the services.
package struct SupervisorStatus: Sendable {
    /// The time after which services that wait for their broker count as started, in seconds: others may wait for them.
    static let patienceSeconds = 20.0

    /// What says that the services go on.
    static let alive = "WATCHDOG=1"

    let services: [ServiceName]
    let startedAt: ContinuousClock.Instant
    /// The time without a sign of life after which the supervisor ends the process, in seconds; `nil` where it does not
    /// watch. Services report each 5 to 10 s, so it is 30 s at least.
    let watchdogSeconds: Double?
    private(set) var isReady = false

    package init(services: [ServiceName], startedAt: ContinuousClock.Instant, watchdogSeconds: Double?) {
        self.services = services
        self.startedAt = startedAt
        self.watchdogSeconds = watchdogSeconds
    }

    /// The next look, in seconds from now: soon until the services are ready.
    var lookSeconds: Double { isReady ? min(watchdogSeconds ?? 60, 60) / 4 : 0.05 }

    /// What is to be said now. There is no sign of life as long as one service is stuck.
    package mutating func messages(
        _ states: [ServiceName: ServiceProgress.State], now: ContinuousClock.Instant
    ) -> [String] {
        let known = services.map { states[$0] ?? ServiceProgress.State() }
        guard isReady || known.allSatisfy({ $0.lastProgress != nil }) else { return [] }
        var messages: [String] = []
        if !isReady {
            let isReading = known.allSatisfy(\.isReading)
            guard isReading || now - startedAt >= .seconds(Self.patienceSeconds) else { return [] }
            isReady = true
            messages.append("READY=1\nSTATUS=" + (isReading ? "counting" : "started, waits for its broker"))
        }
        guard let watchdogSeconds else { return messages }
        let oldest = known.compactMap(\.lastProgress).min() ?? startedAt
        if now - oldest < .seconds(watchdogSeconds / 2) { messages.append(Self.alive) }
        return messages
    }
}

/// Tells systemd that the services are ready, that they go on, and that they stop; and touches a file as long as they go
/// on, by whose age a container's health is known.
package struct Supervisor: Service {
    /// The variable that names the file, and the time without a sign of life that its reader allows, in seconds.
    package static let aliveVariable = "STRIDEBUS_ALIVE_FILE"
    static let aliveSeconds = 60.0

    private let socket: String?
    private let aliveFile: String?
    private let beginning: SupervisorStatus

    /// The supervisor that the environment names; `nil` where there is none. Programs that are started from here on do
    /// not inherit it.
    package init?(of services: [ServiceName]) {
        let environment = ProcessInfo.processInfo.environment
        func named(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let (socket, aliveFile) = (named("NOTIFY_SOCKET"), named(Self.aliveVariable))
        guard socket != nil || aliveFile != nil else { return nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = isForUs ? environment["WATCHDOG_USEC"].flatMap { Double($0) } : nil
        for name in ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] { unsetenv(name) }
        self.init(
            socket: socket, aliveFile: aliveFile, services: services, watchdogSeconds: microseconds.map { $0 / 1e6 })
    }

    package init(socket: String?, aliveFile: String? = nil, services: [ServiceName], watchdogSeconds: Double?) {
        self.socket = socket
        self.aliveFile = aliveFile
        let seconds = aliveFile == nil ? watchdogSeconds : min(watchdogSeconds ?? Self.aliveSeconds, Self.aliveSeconds)
        beginning = SupervisorStatus(services: services, startedAt: .now, watchdogSeconds: seconds)
    }

    /// Reports until the graceful shutdown, with which the services that were started before this one end later.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var status = beginning
            repeat {
                let messages = status.messages(ServiceProgress.all, now: .now)
                for message in messages { send(message) }
                if messages.contains(SupervisorStatus.alive) { touch() }
            } while (try? await Task.sleep(for: .seconds(status.lookSeconds))) != nil
        }
        send("STOPPING=1")
    }

    private func touch() {
        guard let aliveFile else { return }
        let descriptor = open(aliveFile, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { return }
        futimens(descriptor, nil)
        close(descriptor)
    }

    /// One datagram, without waiting; a supervisor that does not take it misses it.
    private func send(_ message: String) {
        guard let socket else { return }
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with @ is in the abstract namespace, where the first byte is zero (unix(7)).
        let path = socket.hasPrefix("@") ? [0] + Array(socket.utf8.dropFirst()) : Array(socket.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, message, message.utf8.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0,
                    length)
            }
        }
    }
}
