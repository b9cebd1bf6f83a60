import Foundation
import Watched

@testable import ServiceKit

/// NATS on a free loopback port: a broker that speaks MQTT 3.1.1 alone.
struct PrivateNATS {
    let port: Int
    private let directory: String
    private let child = ChildProcess()

    private static let program = "/usr/sbin/nats-server"
    static let isInstalled = access(program, X_OK) == 0

    /// - Parameters:
    ///   - users: The list of `users`, as NATS has it; nil lets every user do everything.
    ///   - lines: Further lines of the configuration.
    init(users: String? = nil, lines: String = "") async throws {
        port = try LoopbackPort.free()
        directory = try DataDirectory.makeTemporary()
        let text = """
            server_name: private
            listen: 127.0.0.1:-1
            jetstream { store_dir: "\(directory)" }
            mqtt { listen: 127.0.0.1:\(port) }
            \(users.map { "accounts { bus: { jetstream: enabled, users: \($0) } }" } ?? "")
            \(lines)
            """
        try text.write(toFile: directory + "/nats.conf", atomically: true, encoding: .utf8)
        try await child.spawn(
            arguments: [Self.program, "-c", directory + "/nats.conf"],
            logFile: directory + "/nats.log")
        await until { LoopbackPort.accepts(port: port) || child.hasEnded }
        guard LoopbackPort.accepts(port: port) else {
            let log = (try? String(contentsOfFile: directory + "/nats.log", encoding: .utf8)) ?? ""
            await stop()
            throw EmbeddedBrokerError.exited(log: log)
        }
    }

    func stop() async {
        child.signal(SIGKILL)
        await child.ended()
        DataDirectory.remove(directory)
    }
}
