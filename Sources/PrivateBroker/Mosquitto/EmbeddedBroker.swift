import Glibc
package import Logging
import ServiceLifecycle
import Synchronization

/// A private Mosquitto: a child process on a free loopback port that ends when this process ends, or with the last
/// reference to this object.
package final class EmbeddedBroker: Sendable {
    /// The loopback port that the broker listens on. It stays the same across ``restart()``.
    package let port: Int
    /// The broker's address, `mqtt://127.0.0.1:PORT`.
    package var url: String { "mqtt://127.0.0.1:\(port)" }
    /// The listener for browsers, where the configuration has one, with the port that it has.
    package var page: PageListener? { configuration.page }

    private let configuration: EmbeddedBrokerConfiguration
    private let files: BrokerFiles
    private let child: Mutex<ChildProcess?>

    private init(port: Int, configuration: EmbeddedBrokerConfiguration, files: BrokerFiles, child: ChildProcess) {
        self.port = port
        self.configuration = configuration
        self.files = files
        self.child = Mutex(child)
    }

    /// The tries to find a port that no other program takes before the broker does.
    private static let portTries = 8

    /// Starts a broker and returns when it accepts connections.
    ///
    /// A damaged `mosquitto.db` makes Mosquitto refuse to start: it is moved aside and the start is tried once more.
    ///
    /// - Throws: ``EmbeddedBrokerError``, whose description says what to do.
    package static func start(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration()
    ) async throws -> EmbeddedBroker {
        if let page = configuration.page, page.port != 0, LoopbackPort.accepts(port: page.port) {
            throw EmbeddedBrokerError.portTaken(page.port)
        }
        let files = try BrokerFiles(configuration: configuration)
        var lastError = EmbeddedBrokerError.noFreePort
        for _ in 0..<(configuration.port == 0 ? portTries : 1) {
            let port = configuration.port == 0 ? try LoopbackPort.free() : configuration.port
            var configuration = configuration
            if configuration.page?.port == 0 { configuration.page?.port = try LoopbackPort.free() }
            do {
                let child = try await BrokerStart(configuration: configuration, files: files).run(port: port)
                return EmbeddedBroker(port: port, configuration: configuration, files: files, child: child)
            } catch .exited(let log) where log.contains("Address already in use") {
                // A port of the page that was free a moment ago may be another program's now.
                if let page = configuration.page, LoopbackPort.accepts(port: page.port) {
                    lastError = .portTaken(page.port)
                } else {
                    let isTaken = configuration.port != 0 && LoopbackPort.accepts(port: port)
                    lastError = isTaken ? .portTaken(port) : .exited(log: log)
                }
            } catch {
                files.remove()
                throw error
            }
        }
        files.remove()
        throw lastError
    }

    /// Starts the broker again on the same port: after ``kill()``, or ended gracefully first when it still runs.
    ///
    /// - Throws: ``EmbeddedBrokerError``; ``EmbeddedBrokerError/stopped`` after ``stop()``.
    package func restart() async throws(EmbeddedBrokerError) {
        guard let old = child.withLock({ $0 }) else { throw .stopped }
        await end(old)
        do {
            _ = try await BrokerStart(configuration: configuration, files: files).run(port: port, willSpawn: replace)
        } catch {
            // Ended on purpose while it started.
            throw isStopped ? .stopped : error
        }
    }

    private var isStopped: Bool { child.withLock { $0 == nil } }

    /// From now on signals are for the new process, which has not even begun to start.
    private func replace(with new: ChildProcess) throws(EmbeddedBrokerError) {
        let isWanted = child.withLock { child in
            guard child != nil else { return false }
            child = new
            return true
        }
        if !isWanted { throw .stopped }
    }

    /// Ends the broker with SIGTERM, and with SIGKILL when the deadline of the configuration has passed.
    package func stop() async {
        guard let old = child.withLock({ $0.take() }) else { return }
        await end(old)
        files.remove()
    }

    /// Ends the broker with SIGKILL, as a power cut would. ``restart()`` brings it back.
    package func kill() {
        child.withLock { $0?.signal(SIGKILL) }
    }

    /// Returns when the broker's process has ended, as after ``kill()``.
    package func ended() async {
        await child.withLock({ $0 })?.ended()
    }

    /// Lets the broker read its users, its access list and its certificate anew (SIGHUP). Mosquitto then ends the sessions
    /// of who is gone or has another password, and nobody else's.
    package func reload() {
        child.withLock { $0?.signal(SIGHUP) }
    }

    /// Stops the broker's process in its tracks (SIGSTOP): connections stay open and nothing answers.
    package func pause() {
        child.withLock { $0?.signal(SIGSTOP) }
    }

    /// Lets a paused broker go on (SIGCONT).
    package func resume() {
        child.withLock { $0?.signal(SIGCONT) }
    }

    package var logFile: String { files.logFile }

    /// The end of the broker's log.
    package var log: String { files.log }
    /// The last lines of the log, for an operator.
    package var lastLogLines: String { log.split(separator: "\n").suffix(Self.toldLogLines).joined(separator: "\n") }
    private static let toldLogLines = 20

    package func boundLog() { files.boundLog() }

    deinit {
        child.withLock { $0?.signal(SIGKILL) }
        files.remove()
    }

    private func end(_ child: ChildProcess) async {
        child.signal(SIGTERM)
        child.signal(SIGCONT)
        let seconds = configuration.stopSeconds
        let deadline = Task {
            try await Task.sleep(for: .seconds(seconds))
            child.signal(SIGKILL)
        }
        await child.ended()
        deadline.cancel()
    }
}

/// Keeps a private broker until the services before which it is listed have shut down, and starts it again when it ends
/// by itself.
package final class BrokerService: Service {
    private let broker: EmbeddedBroker
    private let logger: Logger
    private let isStopping = Atomic(false)

    /// The wait before a broker that ended is started again, in seconds.
    package static let restartSeconds = 0.5
    /// The time between two looks at the length of its log, in seconds.
    private static let logSeconds = 60

    /// A service for a broker that runs already.
    package init(broker: EmbeddedBroker, logger: Logger) {
        self.broker = broker
        self.logger = logger
    }

    /// Watches over the broker until the graceful shutdown, then ends it.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask {
                while (try? await Task.sleep(for: .seconds(Self.logSeconds))) != nil { self.broker.boundLog() }
            }
            try? await gracefulShutdown()
            group.cancelAll()
            isStopping.store(true, ordering: .relaxed)
            await broker.stop()
        }
    }

    private func watch() async {
        while true {
            await broker.ended()
            guard !isStopping.load(ordering: .relaxed) else { return }
            logger.warning(
                "the private broker has ended and is started again", metadata: ["log": "\(broker.lastLogLines)"])
            try? await Task.sleep(for: .seconds(Self.restartSeconds))
            do {
                try await broker.restart()
            } catch EmbeddedBrokerError.stopped {
                return
            } catch {
                logger.error("the private broker does not start, trying again: \(error)")
            }
        }
    }
}
