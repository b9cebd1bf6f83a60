import Wire

/// A simulated gym, with or without faults between its sensors and the broker.
///
/// The truth of a device is what happened in the frames that were not lost.
public struct GymSource: FrameSource {
    /// The devices, bikes first.
    public private(set) var devices: [PlayedDevice]
    private var gym: SimulatedGym
    private var injectors: [FaultInjector]
    private var happened: [MotionTruth]
    private var buffer = Frame()

    /// A gym and what goes wrong in it.
    public init(gym: SimulatedGym, faults: FaultPlan = FaultPlan()) {
        self.gym = gym
        injectors = gym.devices.indices.map { FaultInjector(plan: faults, seed: gym.seed, stream: UInt64($0)) }
        happened = gym.devices.map { _ in MotionTruth() }
        devices = gym.devices.map { device in
            PlayedDevice(
                id: device.id, configuration: device.actor.configuration,
                origin: "\(device.actor.kind.rawValue) at the \(device.actor.placement.rawValue)",
                trueSteps: 0, trueRevolutions: 0)
        }
    }

    /// The instant at which the next frame is complete.
    public var nextDueMicroseconds: Int64? { gym.nextDueMicroseconds }

    /// Makes the frames that are complete at an instant.
    public mutating func takeDue(untilMicroseconds: Int64) -> [PlayedFrame] {
        var frames: [PlayedFrame] = []
        var due = gym.dueDevices(untilMicroseconds: untilMicroseconds)
        while !due.isEmpty {
            for index in due {
                let truth = gym.makeFrame(of: index, into: &buffer)
                frames += injectors[index].inject(buffer, truth: truth).map { PlayedFrame(device: index, frame: $0) }
                note(truth, of: index)
            }
            due = gym.dueDevices(untilMicroseconds: untilMicroseconds)
        }
        return frames
    }

    /// Takes the frames that waited to be overtaken.
    public mutating func takeHeld() -> [PlayedFrame] {
        injectors.indices.flatMap { index in
            injectors[index].flush().map { PlayedFrame(device: index, frame: $0) }
        }
    }

    /// What truly happened, and what became of the frames, for a report.
    public var simulationTruth: SimulationTruth {
        SimulationTruth(of: gym, ledgers: injectors.map(\.ledger))
    }

    private mutating func note(_ truth: MotionTruth, of index: Int) {
        happened[index] = happened[index] + truth
        let arrived = happened[index] - injectors[index].ledger.lostTruth
        devices[index].trueSteps = arrived.steps
        devices[index].trueRevolutions = arrived.revolutions
    }
}
