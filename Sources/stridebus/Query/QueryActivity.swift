import ArgumentParser
import Console
import Wire

/// What the wearer did.
struct QueryActivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "What the wearer did, stretch after stretch (default: today).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(
            verb: .historyActivity, device: stretch.device, from: stretch.from, to: stretch.to)
        try await options.askAll(request, as: ActivityData.self, table: Self.table)
    }

    private static func table(_ data: ActivityData) -> TextTable {
        var table = TextTable(columns: [
            .words("start"), .numbers("lasted"), .words("activity"), .words("confidence"), .numbers("steps"),
            .numbers("revolutions"),
        ])
        for segment in data.segments {
            table.append([
                TimePoint.instant(seconds: segment.start).text,
                DecimalText.clock(seconds: segment.end - segment.start), segment.activity.name,
                segment.confidence.rawValue, "\(segment.steps)", "\(segment.revolutions)",
            ])
        }
        return table
    }
}
