import Foundation
import Lab
import Seeded
import Testing
import trials

@Suite("The folder of recordings", .enabled(if: Recordings.folder != nil, "no recordings folder here"))
struct RecordingFolderTests {
    @Test("Every entry can be told apart, and every tenth file reads as long as it says")
    func reads() throws {
        let folder = try #require(Recordings.folder)
        let entries = try RecordingIndex(folder: folder).entries
        #expect(!entries.isEmpty)
        #expect(Set(entries.map(\.file)).count == entries.count)
        for (index, entry) in entries.enumerated() where index % 10 == 0 {
            let file = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
            let duration = try #require(entry.durationSeconds)
            #expect(abs(file.durationSeconds - duration) < 1 + 0.02 * duration, Comment(rawValue: entry.file))
        }
    }
}
