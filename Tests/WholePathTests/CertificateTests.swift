import Foundation
import MQTT
import PrivateBroker
import StrideClient
import TestBroker
import Testing
import Wire

/// Brokers that nobody should talk to: what stands there ends the handshake or is left by the client, so no broker is needed.
@Suite("Certificates that must not be trusted", .timeLimit(.minutes(5)))
struct CertificateTests {
    private let files = TemporaryFolder()

    enum Wrong: String, CaseIterable {
        case expired
        case otherName = "for another name"
        case stranger = "signed by a stranger"
        case oldTLS = "over TLS 1.1"
    }

    @Test("Each is refused by every client of ours, with a line that says what to look at", arguments: Wrong.allCases)
    func refused(wrong: Wrong) async throws {
        try await withServer(wrong) { port, authority in
            let broker = "mqtts://localhost:\(port)"
            let connection = ["--broker", broker, "--tls-ca-file", authority]
            let commands = [
                ["query", "devices", "--timeout", "20s"],
                ["export", "--device", "bike-1", "--timeout", "20s"],
                ["simulate", "--bikes", "1", "--wearables", "0", "--for", "2s"], ["watch", "--once"],
                ["doctor", "--for", "1s"],
            ]
            for command in commands {
                let program = try Program(command + connection)
                let code = try await program.exitCode()
                let said = program.errorText + program.outputText
                #expect(code != 0, "\(command): \(said)")
                #expect(
                    said.contains("TLS failed: check the host name, the CA file, and the dates"), "\(command): \(said)")
            }
            let endpoint = MQTTEndpoint(host: "localhost", port: port, tls: MQTTTLS(caFile: authority))
            let bus = try StrideBus(endpoint: endpoint, timeoutSeconds: 20)
            let error = await #expect(throws: StrideClientError.self) { _ = try await bus.devices() }
            #expect(error.map { "\($0)".contains("TLS failed") } == true)
            await bus.close()
        }
    }

    @Test("The same server with the right certificate is spoken to")
    func right() async throws {
        try await withServer(nil) { port, authority in
            let endpoint = MQTTEndpoint(host: "localhost", port: port, tls: MQTTTLS(caFile: authority))
            var configuration = MQTTConnectionConfiguration(endpoint: endpoint, clientID: "right")
            configuration.connectTimeoutSeconds = 2
            let producer = MQTTProducer(configuration: configuration)
            // It is no broker: TLS succeeds, and then nobody answers.
            for await state in producer.events {
                guard case .disconnected(let error) = state else { continue }
                #expect(error.code != .tls)
                break
            }
            await producer.stop()
        }
    }

    /// Runs OpenSSL's server with a certificate.
    private func withServer(_ wrong: Wrong?, _ body: (_ port: Int, _ authority: String) async throws -> Void)
        async throws
    {
        let folder = files.path
        for name in ["ours", "stranger"] {
            try await openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj",
                "/CN=\(name)", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem")
        }
        try await openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
            "-keyout", folder + "/server.key", "-out", folder + "/server.csr")
        let name = wrong == .otherName ? "other.example" : "localhost"
        try files.write("names", "subjectAltName=DNS:\(name)\n")
        let signer = wrong == .stranger ? "stranger" : "ours"
        try await openssl(
            "x509", "-req", "-in", folder + "/server.csr", "-CA", "\(folder)/\(signer).pem", "-CAkey",
            "\(folder)/\(signer).key",
            "-days", wrong == .expired ? "-1" : "2", "-extfile", folder + "/names", "-out", folder + "/server.pem")
        let old = wrong == .oldTLS ? ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"] : []
        let server = try Program(
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", folder + "/server.pem", "-key", folder + "/server.key",
                "-www",
            ] + old,
            named: "/usr/bin/openssl")
        defer { server.terminate() }
        try await server.waitForOutput(containing: "ACCEPT ")
        let port = try #require(server.outputText.firstMatch(of: /ACCEPT \S*:(\d+)/).flatMap { Int($0.output.1) })
        try await body(port, folder + "/ours.pem")
    }

    private func openssl(_ arguments: String...) async throws {
        let program = try Program(arguments, named: "/usr/bin/openssl")
        #expect(try await program.exitCode() == 0, "\(program.errorText)")
    }
}
