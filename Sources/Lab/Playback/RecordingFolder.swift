import Foundation
import Wire

/// A folder of recordings with an `index.csv` that says what they are.
public struct RecordingFolder: Sendable {
    private let folder: URL
    private let index: RecordingIndex

    /// Reads the index.
    ///
    /// - Throws: `RecordingError`.
    public init(path: String) throws {
        folder = URL(fileURLWithPath: path, isDirectory: true)
        index = try RecordingIndex(folder: folder)
    }

    /// Reads every recording.
    ///
    /// - Throws: `RecordingError`.
    public func items() throws -> [RecordingSource.Item] {
        try index.entries.map { entry in
            RecordingSource.Item(
                name: entry.file, recording: try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file)),
                configuration: Self.configuration(of: entry), trueSteps: entry.trueSteps)
        }
    }

    /// The recordings of people: whatever they did, the sensor was worn.
    private static func configuration(of entry: RecordingIndex.Entry) -> DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = .wearable
        configuration.placement = entry.placementKeyword
        return configuration
    }
}
