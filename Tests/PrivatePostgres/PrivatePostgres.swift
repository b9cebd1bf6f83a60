import Foundation
package import History
import PrivateBroker
import Synchronization

/// A PostgreSQL server of Debian's `postgresql` package for the tests of one process: on a socket in a folder of its
/// own, without passwords, and gone with the process however that ends.
///
/// PostgreSQL refuses to run as root; where we are root, it runs as `postgres`, else as `nobody`.
package final class PrivatePostgres: Sendable {
    private struct State {
        var watch: PostgresWatch?
        var databases = 0
    }

    private let program: PostgresProgram
    private let folder: String
    private let isDurable: Bool
    private let port: Int?
    private let state = Mutex(State())

    /// Whether the server is installed; tests are skipped with a word where it is not.
    package static var isInstalled: Bool { PostgresProgram.installed != nil }
    /// What to say where it is not.
    package static let missing = "PostgreSQL 15 is not installed: run 'deploy/prerequisites test'"

    private static let sharedServer = Task { try await PrivatePostgres() }

    /// The server that the tests of this process share.
    package static func shared() async throws -> PrivatePostgres { try await sharedServer.value }

    /// Starts a server and returns when it accepts connections.
    /// - Parameters:
    ///   - isDurable: Whether commits wait for the disk, as they should anywhere but in tests.
    ///   - isEncrypted: Whether it listens on a free loopback port too, with a certificate of its own.
    package init(isDurable: Bool = false, isEncrypted: Bool = false) async throws {
        guard let program = PostgresProgram.installed else { throw PrivatePostgresError(problem: Self.missing) }
        self.program = program
        folder = try program.makeFolder()
        self.isDurable = isDurable
        do {
            port = isEncrypted ? try LoopbackPort.free() : nil
            try await start()
        } catch {
            // A server that did not start has nobody who removes its folder.
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    /// Ends the server and removes its folder.
    package func stop() async {
        await state.withLock { $0.watch.take() }?.end(keepsFolder: false)
    }

    /// Ends every process of the server with SIGKILL, as a power cut would, and returns when they are gone.
    package func kill() async {
        await PostgresProgram.kill(folder: folder)
    }

    /// Starts the server again, on the data that it had.
    package func restart() async throws {
        await state.withLock { $0.watch.take() }?.end(keepsFolder: true)
        try await start()
    }

    /// Ends the server as an administrator does, until `restart`.
    package func shutDown() async {
        await state.withLock { $0.watch.take() }?.end(keepsFolder: true)
    }

    /// Makes an empty database.
    package func database() async throws -> PostgresAddress {
        let name = state.withLock { state in
            state.databases += 1
            return "test_\(state.databases)"
        }
        let pool = PostgresPool(try address("postgres"), applicationName: "tests")
        try await pool.statements { session in try session.run(script: "CREATE DATABASE \(name) TEMPLATE template0") }
        await pool.close()
        return try address(name)
    }

    /// The address of a database of the server.
    package func address(_ database: String) throws -> PostgresAddress { try PostgresAddress(url(database)) }

    /// The certificate of an encrypted server; it is its own authority.
    package var certificate: String { "\(folder)/data/server.crt" }

    /// The URL of a database on the port of an encrypted server.
    package func encryptedURL(_ database: String, trusting certificate: String) -> String {
        "postgresql://stridebus@127.0.0.1:\(port ?? 0)/\(database)?sslmode=verify-full&sslrootcert=\(certificate)"
    }

    private func url(_ database: String) -> String {
        "postgresql://stridebus@/\(database)?host=\(folder)&port=\(port ?? PostgresWatch.usualPort)"
    }

    private func start() async throws {
        let watch = try await PostgresWatch.start(program, folder: folder, isDurable: isDurable, port: port)
        state.withLock { $0.watch = watch }
    }
}

/// Why the private server does not run.
package struct PrivatePostgresError: Error, CustomStringConvertible {
    /// One line.
    package let problem: String
    /// One line.
    package var description: String { problem }
}
