import Foundation
import Testing

@testable import Lab
@testable import trials

@Suite("A folder of recordings")
struct RecordingResultTests {
    private func results(of folder: WrittenFolder) throws -> [RecordingResult] {
        try RecordingIndex(folder: folder.url).entries.map {
            try RecordingResult(counting: $0, in: folder.url, isConfigured: true)
        }
    }

    @Test("A written walk, a rest and a recording without truth are counted and reported in their groups")
    func folder() throws {
        let folder = try WrittenFolder()
        defer { folder.remove() }
        let recorded = try results(of: folder)
        try #require(recorded.count == 3)
        #expect((52...60).contains(recorded[0].steps))
        #expect(recorded[1].steps == 0)
        #expect(abs(recorded[0].minutes - 40.0 / 60) < 0.02)
        #expect(GroupResult.all(of: recorded).map(\.key.activity) == [.still, .walk])
        #expect(TextTable(evaluating: recorded).lines.count == 3)
    }

    @Test("JSON has every recording, with the seconds of each activity")
    func json() throws {
        let folder = try WrittenFolder()
        defer { folder.remove() }
        let lines = try results(of: folder).map {
            try JSONSerialization.jsonObject(with: Data($0.encodedJSON())) as? [String: Any]
        }
        #expect(lines.map { $0?["activity"] as? String } == ["walk", "still", "run"])
        #expect(lines[0]?["true_steps"] as? Int == 56 && lines[0]?["ape"] is Double)
        #expect(lines[2]?["true_steps"] == nil)
        #expect((lines[0]?["walking_s"] as? Int ?? 0) > 20)
    }

    @Test("A folder without an index says so")
    func noIndex() {
        #expect(throws: RecordingError.self) {
            try RecordingIndex(folder: FileManager.default.temporaryDirectory.appendingPathComponent("none-here"))
        }
    }
}

/// A folder in the layout of recordings, made here.
private struct WrittenFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("evaluation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url.appendingPathComponent("set"), withIntermediateDirectories: true)
        let index = """
            file,subject,activity,placement,rate_hz,duration_s,true_steps,true_rpm,truth_grade,events_file,rpm_file
            set/walk.csv,one,walk,front pocket,25,40,56,,A,,
            set/rest.csv,one,"still, at a desk",front pocket,25,40,0,,A,,
            other/run.csv,two,running,wrist,25,40,,,,,
            """
        try write(index, "index.csv")
        try write(Self.signal(amplitude: 2.5), "set/walk.csv")
        try write(Self.signal(amplitude: 0), "set/rest.csv")
        try FileManager.default.createDirectory(
            at: url.appendingPathComponent("other"), withIntermediateDirectories: true)
        try write(Self.signal(amplitude: 0), "other/run.csv")
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    /// 40 s at 25 Hz with 1.75 steps a second from second 4 to second 36.
    private static func signal(amplitude: Double) -> String {
        let rows = (0..<1000).map { index in
            let time = Double(index) / 25
            let phase = 2 * Double.pi * 1.75 * time
            let foot = cos(phase) + 0.4 * cos(2 * phase + 0.7) + 0.25 * cos(3 * phase + 2)
            let isWalking = (4..<36).contains(time)
            return "\(time),0.1,0.2,\(9.81 + (isWalking ? amplitude * foot : 0)),,,,,,"
        }
        return "t_s,ax,ay,az,gx,gy,gz,mx,my,mz\n" + rows.joined(separator: "\n") + "\n"
    }
}
