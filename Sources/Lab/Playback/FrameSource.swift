import Foundation
package import Wire

/// Something that makes frames as time goes on: a simulated gym, or recordings.
package protocol FrameSource: Sendable {
    /// The devices, in a fixed order.
    var devices: [PlayedDevice] { get }

    /// The instant at which the next frame of any device is complete, in microseconds since 1970; nil at the end.
    var nextDueMicroseconds: Int64? { get }

    /// Takes the frames that are complete at an instant, in the order in which they would be sent.
    mutating func takeDue(untilMicroseconds: Int64) -> [PlayedFrame]

    /// The totals of one device that history should have when the frames taken so far have been counted.
    func expectedTotals(of index: Int) -> ExpectedTotals
}

/// A device of a source, and what it truly did in the frames taken so far.
package struct PlayedDevice: Sendable {
    /// The device's name on the bus.
    package let id: DeviceID
    /// The config that an operator would publish for it.
    package let configuration: DeviceConfig
    /// Its origin, for people: the character of a simulated device or the file of a recording.
    package let origin: String
    /// Steps truly made in the frames taken so far; nil where it is unknown.
    package internal(set) var trueSteps: Int?
    /// Revolutions truly made in the frames taken so far; nil where it is unknown.
    package internal(set) var trueRevolutions: Int?
    /// The true steps and revolutions of the frames taken last, in order; empty where they are unknown.
    package internal(set) var lastEvents: [TrueEvent] = []
}

/// A frame to send.
package struct PlayedFrame: Sendable {
    /// The position of the device in `FrameSource.devices`.
    package let device: Int
    package let frame: Frame
    /// What a strap and a power meter tell with the frame.
    package var rider = RiderNumbers()
}

/// The totals that history should give for a device when all its frames have been counted.
package struct ExpectedTotals: Sendable {
    package let steps: Int
    /// Crank revolutions.
    package let revolutions: Int
    /// The tolerance of a total, as a share of the expected one.
    package let tolerance: Double

    /// True if history's totals are within the tolerance.
    package func accepts(_ answer: IntervalData) -> Bool {
        isNear(answer.steps, steps) && isNear(answer.revolutions, revolutions)
    }

    private func isNear(_ counted: UInt64, _ expected: Int) -> Bool {
        abs(Double(counted) - Double(expected)) <= tolerance * Double(expected)
    }
}

/// A simulated gym.
package struct GymSource: FrameSource {
    /// The devices, bikes first.
    package private(set) var devices: [PlayedDevice]
    private var gym: SimulatedGym
    private var buffer = Frame()

    package init(gym: SimulatedGym) {
        self.gym = gym
        devices = gym.devices.map { device in
            PlayedDevice(
                id: device.id, configuration: device.configuration,
                origin: "\(device.kind.rawValue) at the \(device.placement.rawValue)", trueSteps: 0, trueRevolutions: 0)
        }
    }

    /// The instant at which the next frame is complete.
    package var nextDueMicroseconds: Int64? { gym.nextDueMicroseconds }

    /// Makes the frames that are complete at an instant.
    package mutating func takeDue(untilMicroseconds: Int64) -> [PlayedFrame] {
        var frames: [PlayedFrame] = []
        for index in devices.indices { devices[index].lastEvents.removeAll(keepingCapacity: true) }
        var due = gym.dueDevices(untilMicroseconds: untilMicroseconds)
        while !due.isEmpty {
            for index in due {
                gym.makeFrame(of: index, into: &buffer)
                frames.append(PlayedFrame(device: index, frame: buffer, rider: gym.devices[index].rider))
                let truth = gym.devices[index].truth
                (devices[index].trueSteps, devices[index].trueRevolutions) = (truth.steps, truth.revolutions)
                devices[index].lastEvents += gym.devices[index].lastEvents
            }
            due = gym.dueDevices(untilMicroseconds: untilMicroseconds)
        }
        return frames
    }

    /// The truth as JSON, for a report.
    package var encodedTruth: [UInt8] { gym.encodedTruth() }

    /// The truth, within 2 %.
    package func expectedTotals(of index: Int) -> ExpectedTotals {
        ExpectedTotals(
            steps: devices[index].trueSteps ?? 0, revolutions: devices[index].trueRevolutions ?? 0, tolerance: 0.02)
    }
}

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
