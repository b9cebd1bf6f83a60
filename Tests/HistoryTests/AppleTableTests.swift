import Foundation
import Testing
import Wire

@testable import History

@Suite("The README's table of CoreMotion and HealthKit calls")
struct AppleTableTests {
    /// A row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        var call: String
        var request: String
        var payload: String
        var fields: [String]

        var testDescription: String { "\(call): \(request)" }
    }

    static let rows = Result { try read() }
    /// 2026-11-20T17:00:00Z and half an hour later.
    static let start: Int64 = 1_795_194_000 / 60
    static let now = 1_795_195_800.0

    @Test("Every call of the three classes is in it")
    func complete() throws {
        let calls = try Self.rows.get().map(\.call).joined(separator: "\n")
        for name in [
            "isStepCountingAvailable", "queryStepCountStarting", "startStepCountingUpdates", "stopStepCountingUpdates",
            "isDistanceAvailable", "isPaceAvailable", "isCadenceAvailable", "isFloorCountingAvailable",
            "isPedometerEventTrackingAvailable", "queryPedometerData", "startUpdates", "stopUpdates",
            "startEventUpdates", "authorizationStatus", "HKStatisticsCollectionQuery", "separateBySource",
            "cumulativeSum", "discreteAverage", "discreteMin", "discreteMax",
        ] { #expect(calls.contains(name), "\(name)") }
    }

    @Test("Its request is answered with the fields that it names", arguments: try rows.get())
    func answered(row: Row) async throws {
        guard !row.payload.isEmpty else { return }
        let verb = try #require(RequestVerb(rawValue: row.request), "\(row.request)")
        let request = try HistoryRequest(verb: verb, json: Array(row.payload.utf8))
        let folder = try TemporaryFolder()
        let answers = HistoryAnswers(store: try await filled(folder), defaultZone: try DayCalendar(zone: "UTC"))
        let topic = request.replyTo ?? "stride/reply/nobody"
        let asker = Asker(address: ReplyAddress(topic: Array(topic.utf8), isNamed: request.replyTo != nil))
        let reply = await answers.answer(request, from: asker, nowSeconds: Self.now)
        guard case .ok(_, let data) = reply else {
            Issue.record("\(reply)")
            return
        }
        let text = String(decoding: data, as: UTF8.self)
        for field in row.fields { #expect(text.contains("\"\(field)\":"), "\(field) in \(text)") }
    }

    /// Half an hour in which Anna walks with her watch and then rides the bike that is hers.
    private func filled(_ folder: TemporaryFolder) async throws -> SQLiteHistoryStore {
        let store = try folder.store()
        var changes = HistoryChanges()
        let (watch, bike) = (try DeviceID("watch-3"), try DeviceID("bike-07"))
        for (device, kind) in [(watch, "wearable"), (bike, "bike")] {
            var settings = DeviceSettings(kind: kind, zone: "Europe/Berlin")
            settings.person = "Anna"
            changes.settings.append(SettingsChange(device: device, settings: settings))
        }
        for minute in 0..<30 as Range<Int64> {
            var row = MinuteTotals(device: watch, minute: Self.start + minute, epoch: 1, revision: UInt64(minute) + 1)
            (row.steps, row.distanceMillimetres, row.activeMilliseconds) = (110, 80_000, 60_000)
            (row.coveredMilliseconds, row.cadenceIntegral, row.cadenceSeconds) = (60_000, 6600, 60)
            (row.cadenceMinimum, row.cadenceMaximum) = (100, 118)
            row.activityMilliseconds[Int(ActivityKind.walking.rawValue)] = 60_000
            row.floors = FloorCounts(ascended: minute % 10 == 0 ? 1 : 0)
            changes.rows.append(row)
            (row.device, row.floors) = (bike, nil)
            (row.revolutions, row.steps) = (minute < 20 ? 0 : 80, 0)
            changes.rows.append(row)
        }
        _ = try await store.commit(changes, nowSeconds: Int64(Self.now))
        return store
    }

    private static func read() throws -> [Row] {
        let readme = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("README.md")
        let text = try String(contentsOf: readme, encoding: .utf8)
        let table = text.components(separatedBy: "<!-- table: apple -->\n").last ?? ""
        return table.components(separatedBy: "\n").prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            let cells = line.components(separatedBy: "|").dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(
                call: cells[0], request: cells[1].replacing("`", with: ""), payload: cells[2].replacing("`", with: ""),
                fields: cells[3].split(separator: "`").map(String.init).filter {
                    !$0.contains(",") && !$0.contains(" ")
                })
        }
    }
}
