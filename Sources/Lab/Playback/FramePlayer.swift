import Foundation
package import StrideClient
import Wire

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
