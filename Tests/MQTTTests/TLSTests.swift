import Foundation
import MQTT
import TestBroker
import Testing

@testable import PrivateBroker

private let hasOpenSSL = access("/usr/bin/openssl", X_OK) == 0

@Suite(
    "Over TLS", .enabled(if: hasOpenSSL, "openssl makes the certificates: apt-get install openssl"),
    .timeLimit(.minutes(5)))
struct TLSTests {
    private let folder = TemporaryFolder()

    @Test("Client and broker show each other certificates, and messages go round")
    func mutualTLS() async throws {
        try await withSecureBroker { url, files in
            var endpoint = try MQTTEndpoint(url)
            endpoint.tls = MQTTTLS(
                caFile: files + "/ca.pem", certificateFile: files + "/client.pem", keyFile: files + "/client.key")
            let consumer = MQTTConsumer(
                configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "in"),
                subscriptions: [MQTTSubscription("t")])
            try await consumer.subscribed()
            let producer = MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "out"))
            let expected = (0..<2_000).map(String.init)
            async let received = consumer.payloads(count: expected.count)
            try await producer.publish(expected.map { MQTTPublication("t", $0) })
            #expect(try await received == expected)
            consumer.stop()
            await producer.stop()
        }
    }

    @Test("A certificate file that is missing is an error at once")
    func missingFile() async throws {
        var endpoint = try MQTTEndpoint("mqtts://127.0.0.1")
        endpoint.tls = MQTTTLS(caFile: "/nonexistent.pem")
        let producer = MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "out"))
        let error = await #expect(throws: MQTTError.self) { try await producer.publish(MQTTPublication("t", "x")) }
        #expect(error?.code == .invalidConfiguration)
    }

    private func withSecureBroker(_ body: (_ url: String, _ files: String) async throws -> Void) async throws {
        let files = folder.path
        try makeCertificate("ca")
        try makeCertificate("localhost", signedBy: "ca")
        try makeCertificate("client", signedBy: "ca")
        let port = try LoopbackPort.free()
        let configuration = EmbeddedBrokerConfiguration(extraLines: [
            "listener \(port) 127.0.0.1", "cafile \(files)/ca.pem", "certfile \(files)/localhost.pem",
            "keyfile \(files)/localhost.key", "require_certificate true",
        ])
        try await TestBroker.with(configuration) { _ in try await body("mqtts://localhost:\(port)", files) }
    }

    private func makeCertificate(_ name: String, signedBy authority: String? = nil) throws {
        let files = folder.path
        var arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=\(name)", "-keyout", "\(files)/\(name).key", "-out", "\(files)/\(name).pem",
        ]
        if let authority {
            arguments += [
                "-CA", "\(files)/\(authority).pem", "-CAkey", "\(files)/\(authority).key", "-addext",
                "subjectAltName=DNS:\(name)",
            ]
        }
        _ = try SystemProgram.run("openssl", package: "openssl", arguments)
    }
}
