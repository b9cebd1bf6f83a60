import Foundation
import ServiceKit
import ServiceLifecycle

/// A private Mosquitto: a child process on a free loopback port that ends when this process ends, or with the last
/// reference to this object. As a service it is started again when it ends by itself.
package final class EmbeddedBroker: Service {
    /// The loopback port that the broker listens on. It stays the same across ``restart()``.
    package var port: Int { configuration.port }
    package var url: String { "mqtt://127.0.0.1:\(port)" }
    /// The listener for browsers, where the configuration has one, with the port that it has.
    package var page: PageListener? { configuration.page }

    private let configuration: EmbeddedBrokerConfiguration
    /// What belongs to this run alone.
    private let folder: String
    let program: SupervisedProgram

    /// The tries to find a port that no other program takes before the broker does.
    private static let portTries = 8
    /// The longest wait for a port that the broker of a killed bus still has, in seconds.
    private static let formerSeconds = 2

    /// Starts a broker and returns when it accepts connections.
    ///
    /// A damaged `mosquitto.db` makes Mosquitto refuse to start: it is moved aside and the start is tried once more.
    package static func start(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration()
    ) async throws(BrokerError) -> EmbeddedBroker {
        for port in [configuration.port, configuration.page?.port ?? 0] where port != 0 {
            // The broker of a bus that was killed has its port until its database is saved.
            let deadline = ContinuousClock.now + .seconds(formerSeconds)
            while LoopbackPort.accepts(port: port) {
                guard ContinuousClock.now < deadline else { throw .portTaken(port) }
                try? await Task.sleep(for: .milliseconds(20))
            }
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
        do { aside = try DamagedFile.setAside(databaseFile) } catch {
            throw .file(path: databaseFile, reason: "it is damaged and cannot be moved aside")
        }
        note("the broker's database was damaged; it is now \(aside) and the broker starts without it")
        return true
    }
}

/// A listener for browsers: MQTT over WebSockets, and the files of a page, which Mosquitto serves from the same port.
package struct PageListener: Sendable, Hashable {
    /// The loopback port; 0 takes a free one.
    package var port: Int
    /// The folder with the page's `index.html`.
    package var directory: String
    /// The broker's file of the users who may connect there; nil lets everybody in. Any site that is open in a browser on
    /// this machine can reach this listener.
    package var passwordFile: String?

    package init(port: Int = 0, directory: String, passwordFile: String? = nil) {
        self.port = port
        self.directory = directory
        self.passwordFile = passwordFile
    }

    /// The page's address. Browsers give motion sensors to `localhost`, which is secure as it is.
    package var url: String { "http://localhost:\(port)/" }
}

/// The listeners of a broker that others on the network reach: all of them, those on loopback too, ask for a user.
package struct NetworkListeners: Sendable {
    fileprivate let settings: NetworkSettings
    fileprivate let certificates: Certificates
    fileprivate let users: BusUsers

    package init(_ settings: NetworkSettings, _ certificates: Certificates, _ users: BusUsers) {
        (self.settings, self.certificates, self.users) = (settings, certificates, users)
    }

    /// The most connections to a listener: a gym has fewer, and each costs memory before it has logged in.
    private static let maximumConnections = 4_000

    /// True if the listener without TLS is also that of a port on loopback, of which there can be one alone.
    fileprivate func isPlain(onLoopback port: Int) -> Bool {
        settings.plainPort == port && (settings.address == nil || settings.address == "127.0.0.1")
    }

    fileprivate var lines: [String] {
        let place = settings.address.map { " " + $0 } ?? ""
        var lines = [
            "listener \(settings.tlsPort)\(place)", "certfile \(certificates.server)",
            "keyfile \(certificates.serverKey)", "tls_version tlsv1.2", "max_connections \(Self.maximumConnections)",
        ]
        if let plainPort = settings.plainPort {
            lines += ["listener \(plainPort)\(place)", "max_connections \(Self.maximumConnections)"]
        }
        return lines
    }
}

package struct EmbeddedBrokerConfiguration: Sendable {
    /// The loopback port to listen on; 0 takes a free one.
    package var port: Int
    /// The directory of retained messages and sessions; `nil` keeps them in memory only. The directory is made if it is
    /// missing.
    package var persistenceDirectory: String?
    /// The file of the broker's log; `nil` is a file beside the configuration, removed when the broker stops.
    package var logFile: String?
    /// The listener for browsers on loopback, and the page that it serves; `nil` for none.
    package var page: PageListener?
    /// The listeners for others on the network; `nil` for none.
    package var network: NetworkListeners?
    /// Lines to add to the broker's configuration as they are, such as other limits or an access list.
    package var extraLines: [String]
    /// Called with a line when something was mended, such as a damaged database moved aside or a broker that ended.
    package var note: @Sendable (String) -> Void

    /// A broker on a free loopback port, with the limits that one machine's bus needs.
    package init(
        port: Int = 0, persistenceDirectory: String? = nil, logFile: String? = nil, page: PageListener? = nil,
        extraLines: [String] = [], note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.port = port
        self.persistenceDirectory = persistenceDirectory
        self.logFile = logFile
        self.page = page
        self.extraLines = extraLines
        self.note = note
    }

    var ports: [Int] {
        [port] + [page?.port, network?.settings.tlsPort, network?.settings.plainPort].compactMap(\.self)
    }

    /// The text of `mosquitto.conf`.
    func text(isRoot: Bool) -> String {
        var lines = [
            "max_queued_messages 1000000",
            "max_queued_bytes 268435456",
            "max_inflight_messages 0",
            "max_packet_size 2097152",
            // On the network it is of interest who is refused, and from where.
            "connection_messages \(network != nil)",
            "log_dest stderr",
            "log_type error",
            "log_type warning",
            "log_type notice",
            "set_tcp_nodelay true",
        ]
        if let persistenceDirectory {
            lines += [
                "persistence true",
                "persistence_location \(persistenceDirectory)/",
                "autosave_interval 5",
            ]
        }
        // Over TLS and in plain the same users, who are also asked on loopback. Else each listener has rules of its own, so
        // that the one that browsers reach can ask for a user.
        if let network {
            lines += [
                "allow_anonymous false", "password_file \(network.users.passwords)", "acl_file \(network.users.access)",
            ]
            if !network.isPlain(onLoopback: port) { lines.append("listener \(port) 127.0.0.1") }
            lines += network.lines
        } else {
            if page?.passwordFile != nil { lines.append("per_listener_settings true") }
            lines += ["listener \(port) 127.0.0.1", "allow_anonymous true"]
        }
        if let page {
            // Without the domain libwebsockets listens on every address of a machine that has IPv6.
            lines += [
                "listener \(page.port) 127.0.0.1", "socket_domain ipv4", "protocol websockets",
                "http_dir \(page.directory)",
            ]
            if network == nil, let passwordFile = page.passwordFile {
                lines += ["allow_anonymous false", "password_file \(passwordFile)"]
            }
        }
        // A root broker must stay root, because changing the user clears the parent-death signal (prctl(2)).
        if isRoot { lines.append("user root") }
        return (lines + extraLines).joined(separator: "\n") + "\n"
    }
}
