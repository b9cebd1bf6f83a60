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
}

/// A device of a source.
package struct PlayedDevice: Sendable {
    /// The device's name on the bus.
    package let id: DeviceID
    /// The config that an operator would publish for it.
    package let configuration: DeviceConfig
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

/// A simulated gym.
package struct GymSource: FrameSource {
    /// The devices, bikes first.
    package private(set) var devices: [PlayedDevice]
    /// The gym, which knows what truly happened in the frames taken so far.
    package private(set) var gym: SimulatedGym
    private var buffer = Frame()

    package init(gym: SimulatedGym) {
        self.gym = gym
        devices = gym.devices.map { device in
            PlayedDevice(id: device.id, configuration: device.configuration)
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
                devices[index].lastEvents += gym.devices[index].lastEvents
            }
            due = gym.dueDevices(untilMicroseconds: untilMicroseconds)
        }
        return frames
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

        package init(name: String, recording: RecordingFile, configuration: DeviceConfig) {
            (self.name, self.recording, self.configuration) = (name, recording, configuration)
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
            devices.append(PlayedDevice(id: id, configuration: item.configuration))
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

    private func nextDue(_ index: Int) -> Int64? {
        guard taken[index] < frames[index].count else { return nil }
        return RecordingFile.lastSampleMicroseconds(frames[index][taken[index]])
    }
}
