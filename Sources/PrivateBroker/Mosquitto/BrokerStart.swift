import Foundation
import Glibc

/// One start of the broker on a given port: configuration, process, and the wait until it answers.
struct BrokerStart {
    let configuration: EmbeddedBrokerConfiguration
    let files: BrokerFiles

    /// The interval at which the log and the port are checked until the broker is up.
    private static let lookMilliseconds = 10
    /// Starts it and waits until it answers.
    ///
    /// - Parameter willSpawn: Is given each process before there is one, and throws when none is wanted any more.
    func run(
        port: Int, willSpawn: (ChildProcess) throws(EmbeddedBrokerError) -> Void = { _ in }
    ) async throws(EmbeddedBrokerError) -> ChildProcess {
        do {
            return try await launch(port: port, willSpawn)
        } catch .exited(let log) where log.contains("persistent database") || log.contains("Couldn't open database") {
            guard let aside = try files.moveDatabaseAside() else { throw .exited(log: log) }
            configuration.note("the broker's database was damaged; it is now \(aside) and the broker starts without it")
            return try await launch(port: port, willSpawn)
        }
    }

    private func launch(
        port: Int, _ willSpawn: (ChildProcess) throws(EmbeddedBrokerError) -> Void
    ) async throws(EmbeddedBrokerError) -> ChildProcess {
        guard let broker = SystemProgram.path(of: "mosquitto") else { throw .brokerMissing }
        // Somebody who listens on the former port at every address would keep the broker from starting.
        let formerPort = files.formerPort.flatMap {
            LoopbackPort.accepts(port: $0, address: EmbeddedBrokerConfiguration.formerAddress) ? nil : $0
        }
        try files.write(configuration.text(port: port, formerPort: formerPort, isRoot: geteuid() == 0))
        let child = ChildProcess()
        try willSpawn(child)
        try await child.spawn(arguments: [broker, "-c", files.configurationFile], logFile: files.logFile)
        do {
            try await waitUntilUp(child, port: port)
        } catch {
            child.signal(SIGKILL)
            await child.ended()
            throw error
        }
        files.notePort(port)
        return child
    }

    private var isPageServed: Bool { configuration.page.map { LoopbackPort.accepts(port: $0.port) } ?? true }

    private func waitUntilUp(_ child: ChildProcess, port: Int) async throws(EmbeddedBrokerError) {
        let deadline = ContinuousClock.now + .seconds(configuration.startSeconds)
        while ContinuousClock.now < deadline {
            if child.hasEnded { throw .exited(log: lastLogLines) }
            if child.listens(at: port), LoopbackPort.accepts(port: port), isPageServed { return }
            // A cancelled start ends like one that took too long.
            do {
                try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
            } catch {
                break
            }
        }
        throw .startTimedOut(seconds: configuration.startSeconds)
    }

    private var lastLogLines: String {
        let lines = files.log.split(separator: "\n").filter { !$0.contains(": Warning: ") }
        return lines.suffix(3).joined(separator: "; ")
    }
}

/// The broker's configuration, log and database on disk.
struct BrokerFiles: Sendable {
    let directory: String
    let configurationFile: String
    let logFile: String
    let databaseFile: String?

    init(configuration: EmbeddedBrokerConfiguration) throws(EmbeddedBrokerError) {
        directory =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("stridebus-broker-\(UUID().uuidString)").path
        configurationFile = directory + "/mosquitto.conf"
        logFile = configuration.logFile ?? directory + "/mosquitto.log"
        databaseFile = configuration.persistenceDirectory.map { $0 + "/mosquitto.db" }
        try Self.makeDirectory(directory)
        if let persistence = configuration.persistenceDirectory { try Self.makeDirectory(persistence) }
    }

    func write(_ text: String) throws(EmbeddedBrokerError) {
        do {
            try text.write(toFile: configurationFile, atomically: true, encoding: .utf8)
        } catch {
            throw .fileUnwritable(path: configurationFile, reason: error.localizedDescription)
        }
    }

    /// The bytes of the log that are kept, at most, and those that are read of its end.
    static let maximumLogBytes = 1 << 20
    private static let logEndBytes: UInt64 = 16_384

    /// The end of the log.
    var log: String {
        guard let file = FileHandle(forReadingAtPath: logFile), let end = try? file.seekToEnd() else { return "" }
        try? file.seek(toOffset: end > Self.logEndBytes ? end - Self.logEndBytes : 0)
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// Begins a log anew that is too long. The broker appends to it.
    func boundLog() {
        var status = stat()
        guard stat(logFile, &status) == 0, status.st_size > Self.maximumLogBytes else { return }
        truncate(logFile, 0)
    }

    private var portFile: String? { databaseFile.map { $0 + ".port" } }

    /// The port of the broker that wrote the database; `nil` where none has.
    var formerPort: Int? {
        portFile.flatMap { FileManager.default.contents(atPath: $0) }.flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Keeps the port for the next start. Where that fails, that start knows none, as the first one does.
    func notePort(_ port: Int) {
        guard let portFile, formerPort != port else { return }
        try? "\(port)".write(toFile: portFile, atomically: true, encoding: .utf8)
    }

    /// Moves the database out of the broker's way. Returns where to, or `nil` when there was none.
    func moveDatabaseAside() throws(EmbeddedBrokerError) -> String? {
        guard let databaseFile, FileManager.default.fileExists(atPath: databaseFile) else { return nil }
        let aside = databaseFile + ".damaged-" + UUID().uuidString.prefix(8)
        do {
            try FileManager.default.moveItem(atPath: databaseFile, toPath: aside)
        } catch {
            throw .fileUnwritable(path: aside, reason: error.localizedDescription)
        }
        return aside
    }

    /// Removes what belongs to this run alone; the database stays. What cannot be removed is left to /tmp's cleaner.
    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func makeDirectory(_ path: String) throws(EmbeddedBrokerError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileUnwritable(path: path, reason: error.localizedDescription)
        }
    }
}

/// Ports on 127.0.0.1.
package enum LoopbackPort {
    /// A port that was free a moment ago. Another program may take it before the broker does: start again then.
    package static func free() throws(EmbeddedBrokerError) -> Int {
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
