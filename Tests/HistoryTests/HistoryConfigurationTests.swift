import Configuration
import History
import MQTT
import ServiceKit
import Testing
import Wire

@Suite("The configuration")
struct HistoryConfigurationTests {
    @Test("Nothing said is the default")
    func defaults() throws {
        let configuration = try read([:])
        #expect(configuration.defaultZone == "UTC")
        #expect(configuration.retention.days == 400)
    }

    @Test("Every key is taken")
    func keys() throws {
        let configuration = try read([
            "root": "gym/berlin", "data": "/var/lib/stridebus", "zone": "Europe/Berlin", "retention-days": "30",
        ])
        #expect(configuration.bus.topics.root == "gym/berlin")
        #expect(configuration.dataDirectory == "/var/lib/stridebus")
        #expect(configuration.retention.days == 30)
        #expect(configuration.defaultZone == "Europe/Berlin")
    }

    @Test(
        "A wrong value is told with its key and what to write instead",
        arguments: [
            ("broker", "http://x", "'broker'"), ("zone", "Berlin", "Europe/Berlin"),
            ("retention-days", "6", "from 7 to"), ("retention-days", "year", "from 7 to"),
        ])
    func wrong(key: String, value: String, words: String) {
        let error = #expect(throws: SettingError.self) { try read([key: value]) }
        #expect(error?.description.contains(words) == true)
    }

    @Test("History is kept in the data folder, in another one, or on a server, whose password is shown nowhere")
    func place() throws {
        #expect(try read([:]).server == nil)
        let folder = try read(["data": "/a", "history-store": "/b"])
        #expect(folder.server == nil && folder.dataDirectory == "/b")
        let server = try #require(try read(["history-store": "postgresql://me:secret@db.example/gym"]).server)
        #expect("\(server)" == "me@db.example/gym")
        for wrong in ["mysql://me:secret@db.example/gym", "postgresql://me:secret%zz@db.example/gym"] {
            let error = #expect(throws: SettingError.self) { try read(["history-store": wrong]) }
            #expect(error?.description.contains("'history-store'") == true)
            #expect(error?.description.contains("secret") == false)
        }
    }

    private func read(_ values: [String: String]) throws -> HistoryConfiguration {
        let variables = values.map { ($0.key.uppercased().replacing("-", with: "_"), $0.value) }
        let provider = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(uniqueKeysWithValues: variables))
        return try HistoryConfiguration(config: ConfigReader(provider: provider))
    }
}
