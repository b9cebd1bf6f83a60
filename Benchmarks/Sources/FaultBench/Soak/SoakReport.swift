import Foundation

/// What a soak found: the samples, and whether they are flat in its second half.
struct SoakReport: Codable, Sendable {
    /// One thing that must not grow.
    struct Finding: Codable, Sendable {
        var what: String
        var unit: String
        var mean: Double
        var growth: Double
        var bound: Double
        var holds: Bool { growth <= bound }
    }

    var capacityFramesPerSecond = 0.0
    var devices = 0
    var minutes = 0.0
    var framesSent = 0
    var framesCounted = 0
    var samples: [SoakSample] = []
    private(set) var findings: [Finding] = []

    /// By how much a service's resident memory may grow over the second half, in megabytes: what an allocator's
    /// fragments and SQLite's cache may still take.
    private static let maximumGrowthMegabytes = 8.0
    /// By how many the open descriptors may grow over the second half: a connection that is just being made again.
    private static let maximumGrowthDescriptors = 2.0
    /// By how much a median latency may grow over the second half, in milliseconds.
    private static let maximumGrowthMilliseconds = 100.0

    var holds: Bool { !findings.isEmpty && findings.allSatisfy(\.holds) && framesCounted == framesSent }

    /// Draws a line through the second half of everything that is measured.
    mutating func judge() {
        findings = []
        for name in services {
            judge("resident memory of \(name)", "MB", Self.maximumGrowthMegabytes) { $0.residentMegabytes[name] }
            judge("descriptors of \(name)", "", Self.maximumGrowthDescriptors) { $0.descriptors[name].map(Double.init) }
        }
        judge("median latency to live", "ms", Self.maximumGrowthMilliseconds, \.liveMedian)
        judge("median latency to totals", "ms", Self.maximumGrowthMilliseconds, \.totalMedian)
    }

    private mutating func judge(_ what: String, _ unit: String, _ bound: Double, _ value: (SoakSample) -> Double?) {
        guard let trend = Trend(points(samples.suffix(samples.count / 2), value)) else { return }
        findings.append(Finding(what: what, unit: unit, mean: trend.mean, growth: trend.growth, bound: bound))
    }

    private func points(
        _ samples: some Sequence<SoakSample>, _ value: (SoakSample) -> Double?
    ) -> [(x: Double, y: Double)] {
        samples.compactMap { sample in value(sample).map { (sample.seconds, $0) } }
    }

    private var services: [String] { Set(samples.flatMap(\.residentMegabytes.keys)).sorted() }
}

// MARK: - On paper

extension SoakReport {
    /// Writes `PATH-soak.md`, `PATH-soak.json` and `PATH-soak.svg`.
    func write(to path: String) throws {
        try markdown.write(toFile: path + "-soak.md", atomically: true, encoding: .utf8)
        try chart.write(toFile: path + "-soak.svg", atomically: true, encoding: .utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path + "-soak.json"))
    }

    /// One line that says it all.
    var summary: String {
        """
        \(holds ? "flat" : "NOT FLAT") over \(BenchReport.decimal(minutes)) min at \(devices) frames a second, half of \
        \(Int(capacityFramesPerSecond)): \(framesSent) frames sent, \(framesCounted) counted
        """
    }

    private var markdown: String {
        let rows = findings.map { finding in
            """
            | \(finding.what) | \(BenchReport.decimal(finding.mean)) \(finding.unit) | \
            \(BenchReport.decimal(finding.growth)) | \(BenchReport.decimal(finding.bound)) | \
            \(finding.holds ? "flat" : "**grows**") |
            """
        }
        let head = [
            "# Soak", "", summary + ".", "", "| second half | mean | growth | bound | verdict |",
            "|---|---:|---:|---:|---|",
        ]
        return (head + rows).joined(separator: "\n") + "\n"
    }

    private var chart: String {
        let memory = services.map { name in
            LineChart.Line(name: name, points: points(samples) { $0.residentMegabytes[name] })
        }
        let descriptors = services.map { name in
            LineChart.Line(name: name, points: points(samples) { $0.descriptors[name].map(Double.init) })
        }
        return LineChart.document([
            LineChart(title: "Resident memory, MB", lines: memory),
            LineChart(title: "Open descriptors", lines: descriptors),
            LineChart(
                title: "From a frame to what is told live, ms",
                lines: [
                    LineChart.Line(name: "median", points: points(samples, \.liveMedian)),
                    LineChart.Line(name: "99 %", points: points(samples, \.liveWorst)),
                ]),
            LineChart(
                title: "From a frame to its total, ms",
                lines: [
                    LineChart.Line(name: "median", points: points(samples, \.totalMedian)),
                    LineChart.Line(name: "99 %", points: points(samples, \.totalWorst)),
                ]),
        ])
    }
}
