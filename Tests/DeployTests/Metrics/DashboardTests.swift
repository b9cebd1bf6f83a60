import Foundation
import Testing
import Wire

@Suite("Grafana and Telegraf")
struct DashboardTests {
    @Test("Every query of the dashboard asks for metrics that the exporters have")
    func grafana() throws {
        let file = URL(fileURLWithPath: HostProgram.package + "/deploy/grafana/stridebus.json")
        let dashboard = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let exported = Set(try ["total", "cadence", "health", "services"].flatMap(Exporter.metrics).map(\.name))
        let queries = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["expr"] as? String }
        #expect(queries.count >= panels.count)
        for query in queries {
            let asked = query.matches(of: /stridebus_[a-z_]+/).map { String($0.output) }
            #expect(!asked.isEmpty)
            #expect(exported.isSuperset(of: asked))
        }
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
    }

    @Test("Telegraf's inputs have documented keys, read our topics, and find their time and their words there")
    func telegraf() async throws {
        let folder = HostProgram.package + "/Tests/DeployTests/Metrics"
        let program = HostProgram(
            executable: "/usr/bin/python3",
            arguments: [folder + "/toml.py", HostProgram.package + "/deploy/telegraf/stridebus.conf"])
        let root = try JSONSerialization.jsonObject(with: Data(try await program.output().utf8)) as? [String: Any]
        let inputs = try #require((root?["inputs"] as? [String: Any])?["mqtt_consumer"] as? [[String: Any]])
        let keys = try #require(
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: folder + "/telegraf-keys.json")))
                as? [String: Any])
        let known = try #require(keys["mqtt_consumer"] as? [String]) + #require(keys["json"] as? [String])
        for input in inputs {
            #expect(Set(known).isSuperset(of: input.keys))
            let fields = (input["json_string_fields"] as? [String] ?? []) + [input["json_time_key"] as? String ?? ""]
            var found: Set<String> = [""]
            for topic in try #require(input["topics"] as? [String]) {
                let filled = topic.replacing("+", with: "bike-07")
                guard case .device(_, let channel) = try TopicTree().parse(filled) else {
                    Issue.record("\(topic) is no device's")
                    continue
                }
                let payload = try example(channel)
                if let time = input["json_time_key"] as? String { #expect(payload[time] is NSNumber) }
                found.formUnion(payload.keys)
            }
            #expect(found.isSuperset(of: fields))
        }
    }

    private func example(_ channel: DeviceChannel) throws -> [String: Any] {
        let name = channel == .health ? "device-health" : channel.rawValue
        let file = URL(fileURLWithPath: HostProgram.package + "/schemas/examples/\(name).json")
        return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }
}
