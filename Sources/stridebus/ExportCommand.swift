public import ArgumentParser
import BusConfiguration
import Console
import Launch
public import StrideClient
import Wire

extension SeriesExport.Format: ExpressibleByArgument {}

/// A device's history as a file.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a device's history as CSV or JSON Lines, a line a bucket that has data.")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @Option(help: "csv or jsonl.")
    var format: SeriesExport.Format = .csv

    func run() async throws {
        let settings = try BusSettings(config: ConfigurationSources(flags: bus.flags, file: source.config).reader())
        let client = try StrideBus(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
        do {
            try await write(from: client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func write(from client: StrideBus) async throws {
        let (from, to) = try await range(client)
        let export = SeriesExport(device: stretch.device, format: format)
        var progress = ProgressLine()
        defer { progress.clear() }
        if let heading = export.heading { Output.line(heading) }
        for try await page in client.seriesPages(device: stretch.device, from: from, to: to, bucket: bucket) {
            let lines = page.buckets.compactMap(export.line)
            if !lines.isEmpty { Output.line(lines.joined(separator: "\n")) }
            if let last = page.buckets.last { progress.show("up to " + TimePoint.instant(seconds: last.start).text) }
        }
    }

    /// Without `--from` and `--to` all that there is.
    private func range(_ client: StrideBus) async throws -> (from: TimePoint, to: TimePoint) {
        if let from = stretch.from, let to = stretch.to { return (from, to) }
        let entry = try await client.devices().first { $0.device == stretch.device }
        return (
            stretch.from ?? .instant(seconds: entry?.firstT ?? 0), stretch.to ?? .instant(seconds: entry?.lastT ?? 60)
        )
    }
}
