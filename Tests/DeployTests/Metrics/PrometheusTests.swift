import Contract
import Foundation
import MQTT
import TestBroker
import Testing
import Wire

@Suite("Prometheus", .enabled(if: Exporter.isInstalled), .timeLimit(.minutes(5)))
struct PrometheusTests {
    /// A configuration, a topic that it reads, and the example of its schema that is published there.
    struct Source: Sendable, CustomTestStringConvertible {
        var name: String
        var topic: Topic
        var example: String
        var testDescription: String { "\(name) of \(example)" }

        static func all() throws -> [Source] {
            let bike: DeviceID = "bike-07"
            return [
                Source(name: "total", topic: .device(bike, .total), example: "total"),
                Source(name: "cadence", topic: .device(bike, .cadence), example: "cadence"),
                Source(name: "cadence", topic: .device(bike, .cadence), example: "cadence.walker"),
                Source(name: "heart", topic: .device(bike, .heart), example: "heart"),
                Source(name: "power", topic: .device(bike, .power), example: "power"),
                Source(name: "health", topic: .device(bike, .health), example: "device-health"),
                Source(name: "services", topic: .serviceHealth(.ingest), example: "service-health"),
            ]
        }
    }

    @Test("The real exporter serves every number of a message", arguments: try Source.all())
    func scrape(source: Source) async throws {
        let file = HostProgram.package + "/schemas/examples/\(source.example).json"
        let payload = try Data(contentsOf: URL(fileURLWithPath: file))
        let object = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        let topic = try TopicTree().text(source.topic)
        try await TestBroker.with(checked: .sent) { bus in
            try await bus.producer().publish([MQTTPublication(topic: topic, payload: Array(payload), retain: true)])
            let exporter = try Exporter(source.name, broker: bus.endpoint.port)
            let sensor = topic.split(separator: "/").dropLast().last ?? ""
            let expected = try Exporter.metrics(source.name).compactMap { metric -> String? in
                guard let number = object[metric.field] as? NSNumber else { return nil }
                return Exporter.canonical("\(metric.name){sensor=\"\(sensor)\",topic=\"\(topic)\"} \(number)")
            }
            #expect(!expected.isEmpty)
            let said = try await exporter.scrape(until: #require(expected.last))
            for line in expected { #expect(said.contains(line)) }
        }
    }

    @Test("A counter's name says so", arguments: ["total", "cadence", "heart", "power", "health", "services"])
    func names(name: String) throws {
        for metric in try Exporter.metrics(name) {
            #expect(metric.name.hasPrefix("stridebus_"))
            #expect(metric.name.hasSuffix("_total") == (metric.type == "counter"))
        }
    }
}
