@testable import Lab
import Testing
import Wire

@Suite("What activity is told")
struct ActivityTallyTests {
    private let drive = GroupKey(folder: "set", placement: .pocket, activity: .vehicle)

    private func result(_ kinds: [ActivityKind]) -> RecordingResult {
        RecordingResult(
            file: "set/a.csv", key: drive, minutes: 1, trueSteps: nil, steps: 0,
            activities: ActivityTally(kinds))
    }

    @Test("Seconds of a group are added up, and their shares are told though no number is known")
    func shares() throws {
        let report = EvaluationReport([result([.unknown, .automotive]), result([.automotive, .automotive])])
        let row = try #require(report.activityRows.first)
        #expect(report.activityRows.count == 1 && row.key == drive && row.tally.total == 4)
        #expect(row.tally.share(of: .automotive) == 0.75)
        let line = try #require(report.activityTable.lines.last).split(separator: " ")
        #expect(line == ["set", "pocket", "vehicle", "4", "25", "0", "0", "0", "0", "75"])
        #expect(String(decoding: report.encodedJSON(), as: UTF8.self).contains("\"automotive_s\":3"))
    }

    @Test("Nothing at all has no share")
    func none() {
        #expect(ActivityTally().share(of: .walking) == 0)
    }
}
