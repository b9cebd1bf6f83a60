import Foundation
import MQTT
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Wire

@Suite("The command device", .timeLimit(.minutes(5)))
struct DeviceCommandTests {
    private let folder = TemporaryFolder()

    /// Runs the command against history on a broker, and gives its exit code, output and error text.
    private static func device(
        _ services: ServiceProcesses, _ arguments: [String]
    ) async throws -> (code: Int32, text: String, error: String) {
        let program = try Program(["device"] + arguments + services.arguments)
        let code = try await program.exitCode()
        return (code, program.outputText, program.errorText)
    }

    private static func set(
        _ services: ServiceProcesses, _ arguments: String...
    ) async throws -> (code: Int32, text: String, error: String) {
        try await device(services, ["set", "bike-7", "--timeout", "60s"] + arguments)
    }

    /// Retains a config as another program does.
    private static func retain(_ config: String, on services: ServiceProcesses) async throws {
        let producer = services.producer()
        try await producer.publish(
            MQTTPublication(topic: "\(services.root)/bike-7/config", payload: Array(config.utf8), retain: true))
        await producer.stop()
    }

    @Test("A config is set field by field, kept by the broker, shown and listed")
    func config() async throws {
        let services = try await ServiceProcesses()
        try services.start(.history)
        let first = try await Self.set(services, "--kind", "bike", "--zone", "Europe/Berlin")
        #expect(first.code == 0 && first.text.contains(#""kind":"bike""#), "\(first)")
        let second = try await Self.set(services, "--placement", "crank", "--day-start", "04:00")
        for word in [#""kind":"bike""#, "Europe/Berlin", #""placement":"crank""#, #""day_start":"04:00""#] {
            #expect(second.text.contains(word), "\(second)")
        }
        let shown = try await Self.device(services, ["show", "bike-7"])
        #expect(shown.text.contains(#""placement":"crank""#))
        let listed = try await Self.device(services, ["list"])
        #expect(listed.text.split(separator: "\n").last?.hasPrefix("bike-7  set     bike  crank") == true, "\(listed)")
        let forgotten = try await Self.device(services, ["forget", "bike-8", "--yes"])
        #expect(forgotten.code == 0 && forgotten.text.hasPrefix("history knows no 'bike-8'"), "\(forgotten)")
        let other = try await Self.device(services, ["show", "bike-8"])
        #expect(other.code == 1 && other.error.contains("keeps nothing of 'bike-8'"), "\(other)")
        try await services.endAll()
    }

    @Test("What is wrong with a config is said as history says it; the one before stays, and fields of other programs")
    func refused() async throws {
        let services = try await ServiceProcesses()
        try services.start(.history)
        try await Self.retain(#"{"kind":"bike","hall":{"row":3},"zone":"Asia/Tokyo"}"#, on: services)
        for (arguments, words) in [
            (["--zone", "Europe/Berln"], "'zone' is not known"),
            (["--day-start", "24:30"], #"'day_start' is "24:30""#),
            (["--metres-per-stride", "99"], "'metres_per_stride' is 99: give 0.1 to 5 metres"),
            (["--estimator", "prototype"], "the prototype needs 'sensor'"),
        ] {
            let outcome = try await Self.device(services, ["set", "bike-7", "--timeout", "60s"] + arguments)
            #expect(outcome.code != 0 && outcome.error.contains(words), "\(outcome)")
        }
        #expect(try await Self.set(services, "--person", "Anna").code == 0)
        let shown = try await Self.device(services, ["show", "bike-7"]).text
        #expect(shown.contains(#"{"kind":"bike","hall":{"row":3},"zone":"Asia/Tokyo","person":"Anna"}"#), "\(shown)")
        try await Self.retain(#"{"kind":"boat"}"#, on: services)
        #expect(try await Self.device(services, ["show", "bike-7"]).text.contains("refused"))
        #expect(try await Self.set(services, "--person", "Ben").error.contains(#"'kind' is "boat""#))
        #expect(try await Self.set(services, "--kind", "bike").code == 0)
        try await services.endAll()
    }

    @Test("A config that the broker throws away is said to be missing, even where the broker acknowledges it")
    func notKept() async throws {
        let access = try folder.write("access", "topic readwrite #\ntopic deny test/+/+/config\n")
        for (version, words) in [("3.1.1", "did not keep"), ("5", "did not take the config: allow history's user")] {
            let services = try await ServiceProcesses(
                EmbeddedBrokerConfiguration(extraLines: ["acl_file \(access)"]))
            try services.start(.history, ["--mqtt-version", version])
            let outcome = try await Self.set(services, "--kind", "bike")
            #expect(outcome.code != 0 && outcome.error.contains(words), "\(outcome)")
            try await services.endAll()
        }
    }
}
