import Foundation
public import StrideClient
import Wire

/// Publishes the frames of a source at a pace.
public struct FramePlayer<Source: FrameSource>: Sendable {
    /// What is played; its devices carry the truth so far.
    public private(set) var source: Source
    /// How fast.
    public let pace: Pace
    private let publisher: MotionPublisher
    private let form: MotionPublisher.Form

    /// The longest wait before looking at the clock again, in seconds.
    private static var longestWaitSeconds: Double { 0.25 }

    /// A player that has not started.
    public init(source: Source, pace: Pace, publisher: MotionPublisher, form: MotionPublisher.Form = .json) {
        self.source = source
        self.pace = pace
        self.publisher = publisher
        self.form = form
    }

    /// Tells the services what each device is.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    public func publishConfigurations() async throws {
        for device in source.devices { try await publisher.publish(device.configuration, of: device.id) }
    }

    /// Plays until the source ends, a time of the devices' clocks is reached, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - endMicroseconds: frames that are complete after it are not played; nil plays them all.
    ///   - afterEach: called after each round of frames has reached the broker, with the devices' truth so far.
    /// - Throws: `MQTTError` when the connection ends for good.
    public mutating func play(
        untilDevice endMicroseconds: Int64? = nil, afterEach: ([PlayedDevice]) async -> Void = { _ in }
    ) async throws {
        while !Task.isCancelled, let due = source.nextDueMicroseconds, due <= endMicroseconds ?? .max {
            let now = Self.nowMicroseconds
            let wait = pace.waitSeconds(untilDevice: due, nowMicroseconds: now)
            if wait > 0 {
                try? await Task.sleep(for: .seconds(min(wait, Self.longestWaitSeconds)))
                continue
            }
            let end = min(pace.deviceMicroseconds(atWall: now), endMicroseconds ?? .max)
            try await publish(source.takeDue(untilMicroseconds: end))
            await afterEach(source.devices)
        }
        try await publish(source.takeHeld())
    }

    private func publish(_ frames: [PlayedFrame]) async throws {
        let devices = source.devices
        try await publisher.publish(frames.map { (devices[$0.device].id, $0.frame) }, form: form)
    }

    /// The time on the wall, in microseconds since 1970.
    public static var nowMicroseconds: Int64 { Int64((Date().timeIntervalSince1970 * 1e6).rounded()) }
}
