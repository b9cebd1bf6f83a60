import Foundation
import ServiceKit
import ServiceLifecycle

/// A private Mosquitto: a child process on a free loopback port that ends when this process ends, or with the last
/// reference to this object. As a service it is started again when it ends by itself.
package final class EmbeddedBroker: Service {
    /// The loopback port that the broker listens on. It stays the same across ``restart()``.
    package var port: Int { configuration.port }
    /// The broker's address, `mqtt://127.0.0.1:PORT`.
    package var url: String { "mqtt://127.0.0.1:\(port)" }
    /// The listener for browsers, where the configuration has one, with the port that it has.
    package var page: PageListener? { configuration.page }

    private let configuration: EmbeddedBrokerConfiguration
    /// What belongs to this run alone.
    private let folder: String
    let program: SupervisedProgram

    /// The tries to find a port that no other program takes before the broker does.
    private static let portTries = 8

    /// Starts a broker and returns when it accepts connections.
    ///
    /// A damaged `mosquitto.db` makes Mosquitto refuse to start: it is moved aside and the start is tried once more.
    ///
    /// - Throws: ``BrokerError``, whose description says what to do.
    package static func start(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration()
    ) async throws(BrokerError) -> EmbeddedBroker {
        for port in [configuration.port, configuration.page?.port ?? 0] where port != 0 {
            if LoopbackPort.accepts(port: port) { throw .portTaken(port) }
        }
        var tries = 0
        while true {
            var chosen = configuration
            if chosen.port == 0 { chosen.port = try LoopbackPort.free() }
            if chosen.page?.port == 0 { chosen.page?.port = try LoopbackPort.free() }
            let broker = try EmbeddedBroker(chosen)
            do {
                try await broker.restart()
                return broker
            } catch .programFailed(let program, let log) where log.contains("Address already in use") {
                // A port that was free a moment ago may be another program's now.
                tries += 1
                guard configuration.port == 0, tries < portTries else { throw .programFailed(program, says: log) }
            }
        }
    }

    init(_ configuration: EmbeddedBrokerConfiguration) throws(BrokerError) {
        self.configuration = configuration
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("stridebus-broker-\(UUID().uuidString)").path
        try PrivateFile.makeFolder(folder)
        if let persistence = configuration.persistenceDirectory { try PrivateFile.makeFolder(persistence) }
        let file = folder + "/mosquitto.conf"
        program = SupervisedProgram(
            "mosquitto", logFile: configuration.logFile ?? folder + "/mosquitto.log",
            ports: configuration.ports, note: configuration.note,
            mend: configuration.moveDamagedDatabaseAside
        ) { () throws(BrokerError) in
            try PrivateFile.write(configuration.text(isRoot: geteuid() == 0), to: file, isSynced: false)
            return ["-c", file]
        }
    }

    deinit { removeFolder() }

    /// Starts the broker again on the same port: after ``kill()``, or ended gracefully first when it still runs.
    ///
    /// - Throws: ``BrokerError``; ``BrokerError/stopped`` after ``stop()``.
    package func restart() async throws(BrokerError) {
        try await program.start()
    }

    /// Watches over the broker until the graceful shutdown, then ends it.
    package func run() async {
        await program.run()
        removeFolder()
    }

    /// Ends the broker with SIGTERM, and with SIGKILL where that takes too long.
    package func stop() async {
        await program.stop()
        removeFolder()
    }

    /// Ends the broker with SIGKILL, as a power cut would. ``restart()`` brings it back.
    package func kill() { program.signal(SIGKILL) }

    /// Returns when the broker's process has ended, as after ``kill()``.
    package func ended() async { await program.ended() }

    /// Lets the broker read its users, its access list and its certificate anew (SIGHUP). Mosquitto then ends the sessions
    /// of who is gone or has another password, and nobody else's.
    package func reload() { program.signal(SIGHUP) }

    /// Stops the broker's process in its tracks (SIGSTOP): connections stay open and nothing answers.
    package func pause() { program.signal(SIGSTOP) }

    /// Lets a paused broker go on (SIGCONT).
    package func resume() { program.signal(SIGCONT) }

    package var logFile: String { program.logFile }

    /// The end of the broker's log.
    package var log: String { program.log }

    /// What cannot be removed is left to the cleaner of temporary files.
    private func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }
}

extension EmbeddedBrokerConfiguration {
    /// Moves the database out of the broker's way where its log says that it is damaged. Returns whether it was.
    fileprivate func moveDamagedDatabaseAside(_ log: String) throws(BrokerError) -> Bool {
        guard log.contains("persistent database") || log.contains("Couldn't open database"),
            let databaseFile = persistenceDirectory.map({ $0 + "/mosquitto.db" }),
            FileManager.default.fileExists(atPath: databaseFile)
        else { return false }
        let aside: String
        do { aside = try DamagedFile.setAside(databaseFile, mark: UUID().uuidString.prefix(8)) } catch {
            throw .file(path: databaseFile, reason: "it is damaged and cannot be moved aside")
        }
        note("the broker's database was damaged; it is now \(aside) and the broker starts without it")
        return true
    }
}
