import Lab
import Wire

/// Stretches of walking and standing, for simulated walkers who keep to them.
struct WalkScript: Sendable {
    let stretches: [(isWalking: Bool, seconds: Double)]

    /// The length of all stretches, in whole seconds.
    var seconds: Int { Int(stretches.reduce(0) { $0 + $1.seconds }) }

    /// Walkers with a wearable at the hip.
    ///
    /// - Parameter seed: What the first one's steps are drawn from; each other one has the next number.
    func gym(of walkers: [DeviceID], startMicroseconds: Int64, seed: UInt64 = 3) -> SimulatedGym {
        // Who has done all of it stands for good.
        let plan =
            stretches.map { GymDevice.Stretch(isMoving: $0.isWalking, seconds: $0.seconds) }
            + [GymDevice.Stretch(isMoving: false, seconds: 1e9)]
        let devices = walkers.enumerated().map {
            GymDevice(
                id: $1, placement: .hip, stretches: plan, startMicroseconds: startMicroseconds, seed: seed + UInt64($0))
        }
        return SimulatedGym(devices: devices, seed: 3)
    }

    /// The steps that are counted in the walkers' frames without a bus.
    ///
    /// - Parameter configuration: The settings of all, where they are not those that the simulator tells.
    func steps(counting gym: SimulatedGym, configuration: DeviceConfig? = nil) -> [DeviceID: UInt64] {
        var (gym, frame) = (gym, Frame())
        var steps: [DeviceID: UInt64] = [:]
        for (index, device) in GymSource(gym: gym).devices.enumerated() {
            var count = OfflineCount(device: device.id, configuration: configuration ?? device.configuration)
            for _ in 0..<seconds {
                gym.makeFrame(of: index, into: &frame)
                count.accept([frame])
            }
            steps[device.id] = UInt64(clamping: count.finish().steps)
        }
        return steps
    }
}
