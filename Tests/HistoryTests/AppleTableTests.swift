import Foundation
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("The table of CoreMotion and HealthKit calls")
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

    @Test("Its request is answered with the fields that it names, and they say something", arguments: try rows.get())
    func answered(row: Row) async throws {
        #expect(try await problem(with: row) == nil)
    }

    @Test(
        "A row that is not true is found",
        arguments: [
            Row(call: "no field", request: "capabilities", payload: #"{"device":"watch-3"}"#, fields: []),
            Row(call: "no such field", request: "capabilities", payload: #"{"device":"watch-3"}"#, fields: ["stairs"]),
            Row(call: "not so", request: "capabilities", payload: #"{"device":"watch-3"}"#, fields: ["revolutions"]),
            Row(call: "no such request", request: "history/years", payload: "{}", fields: ["steps"]),
            Row(call: "no JSON", request: "history/days", payload: #"{"device":"#, fields: ["days"]),
            Row(call: "refused", request: "history/interval", payload: #"{"from":1795194000}"#, fields: ["steps"]),
            Row(
                call: "nothing then", request: "history/interval", payload: #"{"device":"watch-3","to":1795194000}"#,
                fields: ["steps"]),
            Row(call: "no such topic", request: "subscribe to {device}/pulse", payload: "", fields: ["spm"]),
            Row(call: "not there", request: "subscribe to {device}/cadence", payload: "", fields: ["pulse"]),
        ])
    func untrue(row: Row) async throws {
        #expect(try await problem(with: row) != nil)
    }

    /// What is wrong with a row; nil where it is as it says.
    private func problem(with row: Row) async throws -> String? {
        guard !row.fields.isEmpty else { return "no field is named" }
        guard let data = try await data(of: row) else { return "nothing of this kind is answered or said" }
        let json = try JSONSerialization.jsonObject(with: Data(data))
        let missing = row.fields.filter { !Self.says($0, json) }
        return missing.isEmpty ? nil : "\(missing) not in \(String(decoding: data, as: UTF8.self))"
    }

    /// What comes of a row: the data of the answer, or what the topic says.
    private func data(of row: Row) async throws -> [UInt8]? {
        guard let verb = RequestVerb(rawValue: row.request) else { return said(row.request) }
        guard let request = try? HistoryRequest(verb: verb, json: Array(row.payload.utf8)) else { return nil }
        let folder = StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let answers = HistoryAnswers(store: try await filled(folder))
        guard let requester = try Admission(row.request, row.payload).request?.requester else { return nil }
        guard case .ok(_, let data) = await answers.reply(to: request, from: requester, nowSeconds: Self.now) else {
            return nil
        }
        return data
    }

    /// A message of a topic that is to be subscribed to: of one who walks, as the counter says it.
    private func said(_ request: String) -> [UInt8]? {
        switch request {
        case "subscribe to {device}/\(DeviceChannel.cadence.rawValue)":
            CadenceReport(t: Self.now, cadenceSPM: 110, confidence: 1, activity: .walking).encodedJSON()
        case "subscribe to {device}/\(DeviceChannel.steps.rawValue)":
            StepsReport(t: Self.now, steps: 4_311, newSteps: 2, cadenceSPM: 110).encodedJSON()
        default: nil
        }
    }

    /// Whether a field is somewhere in a value and is true, above 0, or not empty.
    private static func says(_ field: String, _ json: Any) -> Bool {
        if let values = json as? [Any] { return values.contains { says(field, $0) } }
        guard let object = json as? [String: Any] else { return false }
        let isHere =
            switch object[field] {
            case let number as NSNumber: number.doubleValue > 0
            case let text as String: !text.isEmpty
            case let values as [Any]: !values.isEmpty
            default: false
            }
        return isHere || object.values.contains { says(field, $0) }
    }

    /// Half an hour in which Anna walks with her watch and then rides the bike that is hers.
    private func filled(_ folder: StoreFolder) async throws -> HistoryStore {
        let store = try folder.store()
        var rows: [MinuteRow] = []
        let (watch, bike): (DeviceID, DeviceID) = ("watch-3", "bike-07")
        for (device, kind) in [(watch, "wearable"), (bike, "bike")] {
            try await store.set(device, DeviceSettings(kind: kind, zone: "Europe/Berlin", person: "Anna"))
        }
        for minute in 0..<30 as Range<Int64> {
            var row = MinuteRow(watch, Self.start + minute, revision: UInt64(minute) + 1, steps: 110)
            row.moveEvenly()
            row.distanceMillimetres = 80_000
            (row.cadence.minimum, row.cadence.maximum) = (100, 118)
            row.counts[.walking] = 60_000
            row.floors = FloorCounts(ascended: minute % 10 == 0 ? 1 : 0, descended: minute % 10 == 5 ? 1 : 0)
            rows.append(row)
            (row.device, row.floors) = (bike, nil)
            (row.revolutions, row.steps) = (minute < 20 ? 0 : 80, 0)
            rows.append(row)
        }
        try await store.keep(rows)
        return store
    }

    private static func read() throws -> [Row] {
        let readme = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/coremotion.md")
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
