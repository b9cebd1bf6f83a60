public import Wire

/// Simulated devices that share a seed and a start.
///
/// The gym makes frames when it is asked to, in the order in which real devices would send them; whoever publishes
/// them decides when that is.
public struct SimulatedGym: Sendable {
    /// The most devices of one kind.
    public static let maximumDevices = 100_000

    /// What every chance is drawn from.
    public let seed: UInt64
    /// The devices: bikes first.
    public private(set) var devices: [SimulatedDevice]

    /// A gym of chosen devices.
    public init(devices: [SimulatedDevice], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// A gym of `bikes` bikes (`bike-1`, …) and `wearables` walkers (`walker-1`, …), at most `maximumDevices` of each.
    ///
    /// Their starts are spread over the duration of a frame, so that frames do not come all at once.
    public init(
        bikes: Int, wearables: Int, seed: UInt64, character: GymCharacter = .gentle,
        sampling: SimulatedSampling = SimulatedSampling(), startMicroseconds: Int64
    ) {
        self.seed = seed
        let bikes = min(max(bikes, 0), Self.maximumDevices)
        let wearables = min(max(wearables, 0), Self.maximumDevices)
        let frame = Double(sampling.samplesPerFrame) / sampling.rateHz * 1e6
        devices = []
        devices.reserveCapacity(bikes + wearables)
        for index in 0..<(bikes + wearables) {
            let isBike = index < bikes
            let number = isBike ? index : index - bikes
            var random = RandomSource(seed: seed, stream: UInt64(number) << 1 | (isBike ? 1 : 0))
            let actor =
                isBike
                ? character.bike(index: number, random: &random) : character.walker(index: number, random: &random)
            guard let id = try? DeviceID("\(isBike ? "bike" : "walker")-\(number + 1)") else { continue }
            let delay = Int64(frame * Double(index) / Double(bikes + wearables))
            devices.append(
                SimulatedDevice(
                    id: id, actor: actor, sampling: sampling, startMicroseconds: startMicroseconds + delay, seed: seed))
        }
    }

    /// The devices (by their index) whose next frame is complete at an instant, the earliest first.
    public func dueDevices(untilMicroseconds: Int64) -> [Int] {
        devices.indices
            .filter { devices[$0].nextFrameEndMicroseconds <= untilMicroseconds }
            .sorted { left, right in
                (devices[left].nextFrameEndMicroseconds, left) < (devices[right].nextFrameEndMicroseconds, right)
            }
    }

    /// The instant at which the next frame of any device is complete; `nil` in an empty gym.
    public var nextDueMicroseconds: Int64? {
        devices.lazy.map(\.nextFrameEndMicroseconds).min()
    }

    /// Makes the next frame of one device.
    ///
    /// - Returns: what truly happened in it.
    @discardableResult
    public mutating func makeFrame(of index: Int, into frame: inout Frame) -> MotionTruth {
        guard devices.indices.contains(index) else { return MotionTruth() }
        return devices[index].makeFrame(into: &frame)
    }
}
