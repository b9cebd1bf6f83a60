import Foundation
package import StrideClient
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

    /// Recordings of which the earliest starts at an instant, in microseconds since 1970, whatever its zero is.
    package init(items: [Item], startMicroseconds: Int64) {
        let first = items.compactMap(\.recording.samples.first?.timeSeconds).min() ?? 0
        let zero = startMicroseconds - Int64((first * 1e6).rounded())
        devices = []
        frames = []
        for (index, item) in items.enumerated() {
            // With a number equal names are different ones, and every name is an id.
            let stem = URL(fileURLWithPath: item.name).deletingPathExtension().lastPathComponent
            guard let id = try? DeviceID(foreign: "r\(index + 1)-\(stem)".utf8) else { continue }
            devices.append(PlayedDevice(id: id, configuration: item.configuration))
            frames.append(
                item.recording.frames(
                    startMicroseconds: zero,
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

/// Publishes the frames of a source at a pace.
package struct FramePlayer<Source: FrameSource>: Sendable {
    /// The source of the frames; its devices have the truth so far.
    package private(set) var source: Source
    private let pace: Pace
    private let publisher: MotionPublisher
    private let form: MotionPublisher.Form

    /// The longest wait before looking at the clock again, in seconds.
    private static var longestWaitSeconds: Double { 0.25 }

    package init(source: Source, pace: Pace, publisher: MotionPublisher, form: MotionPublisher.Form = .json) {
        (self.source, self.pace, self.publisher, self.form) = (source, pace, publisher, form)
    }

    /// Publishes what each device is.
    ///
    /// - Throws: `MQTTError` when the connection ends for good, or the bus refuses this user the configs.
    package func publishConfigurations() async throws {
        for device in source.devices { try await publisher.publish(device.configuration, of: device.id) }
    }

    /// Plays until the source ends, a time of the devices' clocks is reached, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - endMicroseconds: frames that are complete after it are not played; nil plays them all.
    ///   - afterEach: called after each round of frames has reached the broker, with the devices' truth so far.
    /// - Throws: `MQTTError` when the connection ends for good.
    package mutating func play(
        untilDevice endMicroseconds: Int64? = nil, afterEach: ([PlayedDevice]) async throws -> Void = { _ in }
    ) async throws {
        while !Task.isCancelled, let due = source.nextDueMicroseconds, due <= endMicroseconds ?? .max {
            let now = Pace.nowMicroseconds
            let wait = pace.waitSeconds(untilDevice: due, nowMicroseconds: now)
            if wait > 0 {
                try? await Task.sleep(for: .seconds(min(wait, Self.longestWaitSeconds)))
                continue
            }
            let end = min(pace.deviceMicroseconds(atWall: now), endMicroseconds ?? .max)
            try await publish(source.takeDue(untilMicroseconds: end))
            try await afterEach(source.devices)
        }
    }

    private func publish(_ frames: [PlayedFrame]) async throws {
        let devices = source.devices
        try await publisher.publish(frames.map { (devices[$0.device].id, $0.frame) }, form: form)
        let riders = frames.filter { !$0.rider.isEmpty }
        guard !riders.isEmpty else { return }
        try await publisher.publish(riders.map { (devices[$0.device].id, $0.rider, $0.frame.time) })
    }
}

/// The relation between the time in frames and the time on the wall.
package struct Pace: Sendable, Hashable {
    /// Seconds of frames in a second on the wall.
    package let speed: Double
    /// The device's clock at the start: microseconds since 1970.
    package let startMicroseconds: Int64
    private let wallStartMicroseconds: Int64

    package static let speeds = 0.01...10_000.0

    /// The time on the wall, in microseconds since 1970.
    package static var nowMicroseconds: Int64 { Int64((Date().timeIntervalSince1970 * 1e6).rounded()) }

    /// A pace that starts now.
    ///
    /// Frames must not come from the future. Faster than real time, their clocks therefore start in the past, so that
    /// they show the time on the wall when `seconds` of frames have been played.
    ///
    /// - Parameters:
    ///   - speed: seconds of frames in a second on the wall; brought into 0.01 to 10,000.
    ///   - seconds: how many seconds of frames will be played at most.
    ///   - nowMicroseconds: the time on the wall, in microseconds since 1970.
    package init(speed: Double, seconds: Double, nowMicroseconds: Int64 = nowMicroseconds) {
        let speed = speed.isFinite ? min(max(speed, Self.speeds.lowerBound), Self.speeds.upperBound) : 1
        let ahead = max(0, seconds - seconds / speed)
        self.speed = speed
        wallStartMicroseconds = nowMicroseconds
        startMicroseconds = nowMicroseconds - Int64((min(ahead, 1e9) * 1e6).rounded())
    }

    /// The device's clock at a time on the wall.
    package func deviceMicroseconds(atWall wallMicroseconds: Int64) -> Int64 {
        startMicroseconds + Int64((Double(wallMicroseconds - wallStartMicroseconds) * speed).rounded())
    }

    /// The wait on the wall until a device's clock shows a time, in seconds; 0 when it is past.
    package func waitSeconds(untilDevice deviceMicroseconds: Int64, nowMicroseconds: Int64) -> Double {
        max(0, Double(deviceMicroseconds - self.deviceMicroseconds(atWall: nowMicroseconds)) / speed / 1e6)
    }
}
