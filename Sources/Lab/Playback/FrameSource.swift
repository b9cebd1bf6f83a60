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
