import ArgumentParser
import Lab
package import StrideClient
import Wire

extension SeriesExport.Format: ExpressibleByArgument {}

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a device's history as CSV or JSON Lines, a line a bucket that has data.")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var asking: AskingOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @Option(help: "csv or jsonl.")
    var format: SeriesExport.Format = .csv

    func run() async throws {
        try await asking.withBus(write)
    }

    private func write(from bus: StrideBus) async throws {
        let request = try await request(bus)
        let export = SeriesExport(device: stretch.device, format: format)
        var progress = ProgressLine(isWanted: !LiveScreen().isTerminal)
        defer { progress.clear() }
        if let heading = export.heading { Output.line(heading) }
        for try await page in bus.pages(of: request, as: SeriesData.self) {
            let lines = page.buckets.compactMap(export.line)
            lines.forEach(Output.line)
            try Output.check()
            guard let last = page.buckets.last else { continue }
            progress.show("up to " + TimePoint.instant(seconds: last.start).text)
        }
    }

    /// Without `--from` and `--to` all that there is.
    private func request(_ bus: StrideBus) async throws -> HistoryRequest {
        var request = stretch.request(.historySeries)
        request.bucket = bucket
        request.isExport = true
        guard request.from == nil || request.to == nil else { return request }
        let known = try await bus.askAll(HistoryRequest(verb: .devices), as: DevicesData.self)
        let entry = known.devices.first { $0.device == stretch.device }
        if entry == nil { Output.errorLine(QueryOptions.unanswered(stretch.device)) }
        request.from = request.from ?? .instant(seconds: entry?.firstT ?? 0)
        request.to = request.to ?? .instant(seconds: entry?.lastT ?? 60)
        return request
    }
}
