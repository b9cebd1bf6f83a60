import Lab
import Testing
import trials
import Wire

@Suite("Recording index and truth")
struct RecordingIndexTests {
    private static let header =
        "file,source_repo,source_path,licence,subject,activity,placement,rate_hz,duration_s,true_steps,true_rpm,"
        + "truth_method,notes,truth_grade,events_file,rpm_file\n"

    @Test("Quoted fields may hold commas, quotes and line ends")
    func quoted() throws {
        let row =
            "\"g/a.csv\",r,p,\"MIT, \"\"or\"\"\nlike\",s1,walk 2x20 m,\"left foot (lateral, shoe)\",204.8,38.71,60,,m,,A,t/a.csv,\n"
        let next = "g/b.csv,r,p,l,s2,bike,wrist,64,60,0,72.5,m,,C,,t/b_rpm.csv\n"
        let index = try RecordingIndex(csv: Array((Self.header + row + next).utf8))
        #expect(index.entries.count == 2)
        let first = try #require(index.entries.first)
        #expect(first.file == "g/a.csv")
        #expect(first.group == "g")
        #expect(first.durationSeconds == 38.71)
        #expect(first.trueSteps == 60)
        #expect(first.placementKeyword == .foot)
        #expect(index.entries[1].trueSteps == 0)
    }

    @Test("A wrong index is refused with its line")
    func errors() {
        let bad = Self.header + "f,r,p,l,s,a,wrist,1,long,1,,,,A,,\n"
        let wrong = [
            "": "i: is empty", "file\n": "i:1: the header has no column subject",
            bad: "i:2: duration_s is not a finite number", Self.header + "\"f,r\n": "i:2: a quoted field does not end",
        ]
        for (text, words) in wrong {
            let error = #expect(throws: RecordingError.self) { try RecordingIndex(csv: Array(text.utf8), path: "i") }
            #expect(error?.description.hasPrefix(words) == true)
        }
    }

    @Test(
        "Free text becomes a placement keyword",
        arguments: [
            ("wrist (Pebble watch);hand in pocket", SensorPlacement.wrist), ("phone:backpocket;surface:hard", .pocket),
            ("phone:swingingarm;surface:hard", .hand), ("phone:neckpouch", .bag), ("lower back", .back),
            ("phone in trouser pocket", .pocket), ("right shank", .ankle), ("left foot (lateral shoe)", .foot),
            ("seat post frame", .frame), ("crank arm", .crank), ("table", .unknown), ("", .unknown),
            ("holder on the handlebar", .frame), ("sternum", .back), ("left calf", .ankle), ("upper arm", .hand),
        ])
    func placements(text: String, expected: SensorPlacement) {
        #expect(SensorPlacement(freeText: text) == expected)
    }
}
