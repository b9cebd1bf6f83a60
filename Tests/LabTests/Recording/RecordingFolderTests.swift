import Foundation
import Lab
import Testing

@Suite("The folder of recordings", .enabled(if: RecordingFolder.location != nil, "no recordings folder here"))
struct RecordingFolderTests {
    @Test("Every entry can be told apart, and every tenth file reads as long as it says")
    func reads() throws {
        let folder = try #require(RecordingFolder.location)
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

/// Where the recordings are.
enum RecordingFolder {
    /// `STRIDEBUS_RECORDINGS`, or the folder beside the package; nil where there is none.
    static let location: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path =
            ProcessInfo.processInfo.environment["STRIDEBUS_RECORDINGS"]
            ?? package.appendingPathComponent("../shared/recordings").path
        let index = URL(fileURLWithPath: path).appendingPathComponent("index.csv")
        return FileManager.default.fileExists(atPath: index.path) ? URL(fileURLWithPath: path) : nil
    }()
}
