import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Testing

/// `stridebus up --network` in an empty folder, on 127.0.0.1 alone, with what its commands print.
struct NetworkBus {
    let data: String
    let up: Program
    let place: NetworkPlace

    /// Starts it, lets `body` use it, and ends it in order.
    ///
    /// - Parameter kept: A data directory that there is before and after it; nil for one of its own.
    static func with(
        _ more: [String] = [], kept: String? = nil, _ body: (NetworkBus) async throws -> Void
    ) async throws {
        let (own, page) = (TemporaryFolder(), TemporaryFolder())
        defer { withExtendedLifetime((own, page)) {} }
        let data = kept ?? own.path + "/data"
        try page.write("index.html", "<title>the page</title>")
        try page.write("sw.js", "const a = 1")
        let up = try Program(
            [
                "up", "--network", "--address", "127.0.0.1", "--port", "0", "--tls-port", "0", "--page-port", "0",
                "--page", page.path, "--data", data,
            ] + more)
        do { try await up.waitForError(containing: "counting") } catch {
            Issue.record("\(error): \(up.errorText)")
            throw error
        }
        let place = try #require(try NetworkPlace.read(folder: NetworkFolder.path(data: data)))
        try await body(NetworkBus(data: data, up: up, place: place))
        up.terminate()
        #expect(try await up.exitCode() == 0)
    }

    /// Runs a `stridebus users` command and returns what it prints.
    func users(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
        let program = try Program(["users"] + arguments + ["--data", data], environment: environment)
        #expect(try await program.exitCode() == 0, "\(arguments): \(program.errorText)")
        return program.outputText
    }

    /// Adds a user and returns its login.
    func add(_ name: String, _ role: String...) async throws -> MQTTEndpoint {
        let password = "password-of-\(name)"
        let file = data + "/\(name).password"
        try password.write(toFile: file, atomically: true, encoding: .utf8)
        let program = try Program(["users", "add", name, "--password-file", file, "--data", data] + role)
        #expect(try await program.exitCode() == 0, "\(program.errorText)")
        #expect(program.outputText.contains("In force on the running bus."))
        return endpoint(name, password)
    }

    func endpoint(_ user: String, _ password: String) -> MQTTEndpoint {
        MQTTEndpoint(
            host: place.host, port: place.tlsPort, username: user, password: password,
            tls: MQTTTLS(caFile: place.authority))
    }

    /// Gets a page by https as a browser that trusts the authority does: status, type and text.
    func get(_ path: String, origin: String? = nil) async throws -> String {
        let address = try #require(place.pageURL.flatMap { URL(string: $0) }).appendingPathComponent(path)
            .absoluteString
        let script = """
            import ssl, sys, urllib.request
            context = ssl.create_default_context(cafile=sys.argv[2])
            answer = urllib.request.urlopen(sys.argv[1], context=context)
            print(answer.status, answer.headers["Content-Type"])
            print(answer.read().decode())
            """
        let program = try Program(
            ["-c", script, address, try #require(place.authority)], named: "/usr/bin/python3")
        #expect(try await program.exitCode() == 0, "\(address): \(program.errorText)")
        return program.outputText
    }
}
