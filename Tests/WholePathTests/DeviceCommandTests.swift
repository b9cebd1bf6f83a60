import Foundation
import MQTT
import ServiceKit
import Testing
import Wire

@Suite("The command device", .timeLimit(.minutes(5)))
struct DeviceCommandTests {
    /// Runs the command against a broker and gives its exit code, output and error text.
    private static func device(
        _ broker: EmbeddedBroker, _ arguments: [String]
    ) async throws -> (code: Int32, text: String, error: String) {
        let program = try Program(["device"] + arguments + ["--broker", broker.url])
        let code = try await program.exitCode(withinSeconds: 60)
        return (code, program.outputText, program.errorText)
    }

    @Test("A config is set field by field, kept by the broker, shown and listed, without history as well")
    func config() async throws {
        let broker = try await EmbeddedBroker.start()
        let first = try await Self.device(broker, ["set", "bike-7", "--kind", "bike", "--zone", "Europe/Berlin"])
        #expect(first.code == 0 && first.text.contains(#""kind":"bike""#), "\(first)")
        let second = try await Self.device(broker, ["set", "bike-7", "--placement", "crank", "--day-start", "04:00"])
        for word in [#""kind":"bike""#, "Europe/Berlin", #""placement":"crank""#, #""day_start":"04:00""#] {
            #expect(second.text.contains(word), "\(second)")
        }
        let shown = try await Self.device(broker, ["show", "bike-7"])
        #expect(shown.text.contains(#""placement":"crank""#))
        let listed = try await Self.device(broker, ["list", "--timeout", "1s"])
        #expect(listed.text.split(separator: "\n").last?.hasPrefix("bike-7  set     bike  crank") == true, "\(listed)")
        #expect(listed.error.contains("history does not answer"))
        let other = try await Self.device(broker, ["show", "bike-8"])
        #expect(other.text.contains("none: it works with the defaults"))
        await broker.stop()
    }

    @Test(
        "A value that cannot be is refused by the option's name, and nothing is sent",
        arguments: [
            (["--zone", "Europe/Berln"], "--zone is 'Europe/Berln'"), (["--day-start", "24:30"], "--day-start"),
            (["--metres-per-stride", "99"], "--metres-per-stride is 99"), (["--height", "0.1"], "--height"),
            (["--kind", "boat"], "kind"), (["--placement", "roof"], "placement"),
        ])
    func refused(arguments: [String], word: String) async throws {
        let program = try Program(["device", "set", "bike-7"] + arguments + ["--broker", "mqtt://127.0.0.1:1"])
        #expect(try await program.exitCode(withinSeconds: 30) != 0)
        #expect(program.errorText.contains(word), "\(program.errorText)")
    }

    @Test("A config that the broker throws away is said to be missing, though it was acknowledged")
    func notKept() async throws {
        let directory = try DataDirectory.makeTemporary()
        defer { DataDirectory.remove(directory) }
        try "topic read #\n".write(toFile: directory + "/access", atomically: true, encoding: .utf8)
        let broker = try await EmbeddedBroker.start(
            EmbeddedBrokerConfiguration(extraLines: ["acl_file \(directory)/access"]))
        for version in ["3.1.1", "5"] {
            let outcome = try await Self.device(
                broker, ["set", "bike-7", "--kind", "bike", "--mqtt-version", version])
            #expect(outcome.code != 0)
            #expect(outcome.error.contains(version == "5" ? "does not allow" : "did not keep"), "\(outcome)")
        }
        await broker.stop()
    }

    @Test("A config that no service would take is shown as refused, and replaced only when told to")
    func damaged() async throws {
        let broker = try await EmbeddedBroker.start()
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(broker.url), clientID: "operator"))
        try await producer.publish(
            MQTTPublication(topic: "stride/bike-7/config", payload: Array(#"{"kind":"boat"}"#.utf8), retain: true))
        await producer.stop()
        #expect(try await Self.device(broker, ["show", "bike-7"]).text.contains("refused"))
        #expect(try await Self.device(broker, ["set", "bike-7", "--kind", "bike"]).error.contains("--reset"))
        let mended = try await Self.device(broker, ["set", "bike-7", "--kind", "bike", "--reset"])
        #expect(mended.code == 0)
        await broker.stop()
    }
}
