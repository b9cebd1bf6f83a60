import Foundation
import FoundationNetworking
import TestBroker
import Testing
import Watched

@testable import PrivateBroker

/// Debian's prometheus-mqtt-exporter with a configuration of deploy/prometheus, reading from a broker of a test.
final class Exporter {
    static let executable = "/usr/bin/prometheus-mqtt-exporter"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: executable) }

    /// One line of a configuration's metrics.
    struct Metric {
        var name: String
        var field: String
        var type: String
    }

    private let folder = TemporaryFolder()
    private let program: Program
    private let port: Int

    /// Starts it; it ends with the last reference.
    init(_ name: String, broker: Int) throws {
        port = try LoopbackPort.free()
        let text = try Self.text(name).replacing("tcp://localhost:1883", with: "tcp://127.0.0.1:\(broker)")
        let configuration = try folder.write("exporter.yaml", text)
        program = try Program(
            ["-config", configuration, "-listen-address", "127.0.0.1", "-listen-port", "\(port)"],
            named: Self.executable)
    }

    /// What it answers to Prometheus once a line is there, each line's number written in one way.
    func scrape(until line: String) async throws -> Set<String> {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        var lines: Set<String> = []
        await until {
            if let (data, _) = try? await URLSession.shared.data(from: url) {
                lines = Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map { Self.canonical($0) })
            }
            return lines.contains(line)
        }
        return lines
    }

    /// A line of an answer with its number written in one way: the exporter writes large ones with an exponent.
    static func canonical(_ line: some StringProtocol) -> String {
        guard let space = line.lastIndex(of: " "), let number = Double(line[space...].dropFirst()) else {
            return String(line)
        }
        return "\(line[..<space]) \(number)"
    }

    /// The metrics of a configuration, as its lines name them.
    static func metrics(_ name: String) throws -> [Metric] {
        var metrics: [Metric] = []
        for line in try text(name).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map { String($0) }
            guard let value = words.last else { continue }
            if line.contains("- prom_name:") {
                metrics.append(
                    Metric(name: value.split(separator: " ").last.map(String.init) ?? "", field: "", type: ""))
            }
            if words.first == "mqtt_name:" { metrics[metrics.count - 1].field = value }
            if words.first == "type:" { metrics[metrics.count - 1].type = value }
        }
        return metrics
    }

    /// The text of a configuration.
    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: HostProgram.package + "/deploy/prometheus/\(name).yaml", encoding: .utf8)
    }
}
