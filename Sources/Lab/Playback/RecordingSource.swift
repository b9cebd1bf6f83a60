import Foundation
package import Wire

/// Recordings as devices: each file is a device that starts at the source's start and sends what it recorded.
package struct RecordingSource: FrameSource {
    /// A recording to play.
    package struct Item: Sendable {
        /// The file's name, for people.
        package let name: String
        /// The samples.
        package let recording: RecordingFile
        /// The kind of device.
        package let configuration: DeviceConfig
        /// Steps truly made in all of it; nil where it is unknown.
        package let trueSteps: Int?

        package init(name: String, recording: RecordingFile, configuration: DeviceConfig, trueSteps: Int?) {
            (self.name, self.recording) = (name, recording)
            (self.configuration, self.trueSteps) = (configuration, trueSteps)
        }
    }

    /// The devices, in the order of the items.
    package private(set) var devices: [PlayedDevice]
    private var frames: [[Frame]]
    private var taken: [Int]

    /// Recordings that all start at an instant, in microseconds since 1970.
    package init(items: [Item], startMicroseconds: Int64) {
        devices = []
        frames = []
        for (index, item) in items.enumerated() {
            // With a number equal names are different ones, and every name is an id.
            let stem = URL(fileURLWithPath: item.name).deletingPathExtension().lastPathComponent
            guard let id = try? DeviceID(foreign: "r\(index + 1)-\(stem)".utf8) else { continue }
            devices.append(
                PlayedDevice(
                    id: id, configuration: item.configuration, origin: item.name, trueSteps: item.trueSteps,
                    trueRevolutions: nil))
            frames.append(
                item.recording.frames(
                    startMicroseconds: startMicroseconds,
                    boot: BootID(rawValue: UInt64(bitPattern: startMicroseconds))))
        }
        taken = frames.map { _ in 0 }
    }

    /// The instant at which the next frame is complete.
    package var nextDueMicroseconds: Int64? {
        devices.indices.compactMap(nextDue).min()
    }

    /// Takes the frames that are complete at an instant.
    package mutating func takeDue(untilMicroseconds: Int64) -> [PlayedFrame] {
        var due: [(time: Int64, frame: PlayedFrame)] = []
        for index in devices.indices {
            while let time = nextDue(index), time <= untilMicroseconds {
                due.append((time, PlayedFrame(device: index, frame: frames[index][taken[index]])))
                taken[index] += 1
            }
        }
        return due.sorted { $0.time < $1.time }.map(\.frame)
    }

    /// The counts of the counter's pipeline for the same frames without a bus, to the step. Its distance from the truth
    /// is a matter of the counter, not of the way of the frames.
    package func expectedTotals(of index: Int) -> ExpectedTotals {
        var count = OfflineCount(device: devices[index].id, configuration: devices[index].configuration)
        count.accept(frames[index].prefix(taken[index]))
        let summary = count.finish()
        return ExpectedTotals(steps: Int(summary.steps), revolutions: Int(summary.revolutions), tolerance: 0)
    }

    private func nextDue(_ index: Int) -> Int64? {
        guard taken[index] < frames[index].count else { return nil }
        return RecordingFile.lastSampleMicroseconds(frames[index][taken[index]])
    }
}

extension RecordingSource.Item {
    /// Reads every recording of a folder with an `index.csv`. They are of people: whatever these did, the sensor was
    /// worn.
    ///
    /// - Throws: `RecordingError`.
    package static func all(inFolder path: String) throws -> [RecordingSource.Item] {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        return try RecordingIndex(folder: folder).entries.map { entry in
            var configuration = DeviceConfig()
            (configuration.kind, configuration.placement) = (.wearable, entry.placementKeyword)
            return RecordingSource.Item(
                name: entry.file, recording: try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file)),
                configuration: configuration, trueSteps: entry.trueSteps)
        }
    }
}
