import Configuration
import Foundation
import Logging
import ServiceKit
import TestBroker
import Testing
import stridebus

@Suite struct ConfigurationSourcesTests {
    private let folder = TemporaryFolder()

    @Test("A flag is stronger than the environment, and the environment than the file")
    func precedence() throws {
        let file = try temporaryFile(#"{"broker": "mqtt://file", "root": "file", "zone": "Europe/Berlin"}"#)
        let reader = try ConfigurationSources(
            flags: [.broker: "mqtt://flag"],
            environment: ["STRIDEBUS_BROKER": "mqtt://environment", "STRIDEBUS_ROOT": "environment", "HOME": "/"],
            file: file
        ).reader()
        #expect(reader.string(forKey: "broker") == "mqtt://flag")
        #expect(reader.string(forKey: "root") == "environment")
        #expect(reader.string(forKey: "zone") == "Europe/Berlin")
        #expect(reader.string(forKey: "data") == nil)
    }

    @Test("A key with a dash is found in each source")
    func dashes() throws {
        let reader = try ConfigurationSources(
            flags: [.mqttVersion: "3.1.1"], environment: ["STRIDEBUS_TLS_CA_FILE": "/ca.pem"]
        ).reader()
        #expect(reader.string(forKey: "mqtt-version") == "3.1.1")
        #expect(reader.string(forKey: "tls-ca-file") == "/ca.pem")
    }

    @Test("A misspelt key is told with the keys there are")
    func unknownKey() throws {
        let file = try temporaryFile(#"{"brokr": "mqtt://localhost"}"#)
        let error = #expect(throws: SettingError.self) {
            _ = try ConfigurationSources(environment: [:], file: file).reader()
        }
        #expect(error?.key == "brokr" && error?.problem.contains("the keys are broker, root") == true)
    }

    @Test("A misspelt environment variable is told")
    func unknownVariable() {
        let error = #expect(throws: SettingError.self) {
            _ = try ConfigurationSources(environment: ["STRIDEBUS_BROKR": "x"]).reader()
        }
        #expect(error?.key == "STRIDEBUS_BROKR")
    }

    @Test("A configuration file that is absent or no JSON object is told by its name", arguments: [nil, "broker="])
    func unreadable(content: String?) throws {
        let file = try content.map(temporaryFile) ?? "/nowhere/stridebus.json"
        let error = #expect(throws: SettingError.self) {
            _ = try ConfigurationSources(environment: [:], file: file).reader()
        }
        #expect(error?.description.contains(file) == true)
    }

    @Test("A value of the wrong kind is refused by its key, from whichever source")
    func wrongKind() throws {
        let sources = [
            ConfigurationSources(flags: [.retentionDays: "many"], environment: [:]),
            ConfigurationSources(environment: ["STRIDEBUS_RETENTION_DAYS": "many"]),
            ConfigurationSources(environment: [:], file: try temporaryFile(#"{"retention-days": true}"#)),
        ]
        for source in sources {
            let error = #expect(throws: SettingError.self) { _ = try source.reader() }
            #expect(error?.description.contains("retention-days") == true)
        }
        let file = try temporaryFile(#"{"retention-days": 30, "mqtt-version": 5}"#)
        let reader = try ConfigurationSources(environment: [:], file: file).reader()
        #expect(reader.string(forKey: "retention-days") == "30")
        #expect(reader.string(forKey: "mqtt-version") == "5")
    }

    @Test("A port of the page that there is not is refused by its key")
    func pagePort() async throws {
        try folder.write("index.html", "")
        let sources = ConfigurationSources(
            flags: [.data: folder.path, .page: folder.path, .pagePort: "70000"], environment: [:])
        let error = await #expect(throws: SettingError.self) {
            _ = try await BusRun.prepare(
                [], sources: sources, privateBrokerPort: 0,
                makeLogger: { _ in Logger(label: "test") })
        }
        #expect(error?.key == "page-port")
    }

    @Test("The page lists every key as it is", arguments: ConfigurationKey.all)
    func page(key: ConfigurationKey) throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(
                "Sources/ServiceKit/Documentation.docc/ConfigurationSources.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("| `\(key.name)` | \(key.valueName) | \(key.meaning) |"))
    }

    private func temporaryFile(_ content: String) throws -> String {
        try folder.write("\(UUID().uuidString).json", content)
    }
}
