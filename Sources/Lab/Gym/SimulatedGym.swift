import Glibc
package import Wire

/// Simulated devices that share a seed and a start.
///
/// The gym makes frames when it is asked to, in the order in which real devices would send them; whoever publishes
/// them decides when that is.
package struct SimulatedGym: Sendable {
    /// The most devices of one kind.
    package static let maximumDevices = 100_000

    /// The seed of everything random.
    package let seed: UInt64
    /// The devices: bikes first.
    package private(set) var devices: [GymDevice]

    /// A gym of chosen devices.
    package init(devices: [GymDevice], seed: UInt64) {
        (self.devices, self.seed) = (devices, seed)
    }

    /// A gym of `bikes` bikes (`bike-1`, …) and `wearables` walkers (`walker-1`, …), at most `maximumDevices` of each; the
    /// sensors of walkers are on the wrist, in the pocket and on the hip in turn.
    ///
    /// Their starts are spread over the duration of a frame, so that frames do not come all at once.
    ///
    /// - Parameter stopSeconds: Everybody moves from two seconds after the start until eight seconds before this end, with
    ///   a pause in the middle when there is time; afterwards, and without it, they move and rest as they like.
    package init(
        bikes: Int, wearables: Int, seed: UInt64, stopSeconds: Double? = nil, sensors: GymDevice.RiderSensors = [],
        rateHz: Double = 50, startMicroseconds: Int64
    ) {
        let bikes = min(max(bikes, 0), Self.maximumDevices)
        let count = bikes + min(max(wearables, 0), Self.maximumDevices)
        let placements: [SensorPlacement] = [.wrist, .pocket, .hip]
        let stretches = stopSeconds.map(Self.stretches) ?? []
        self.seed = seed
        devices = (0..<count).compactMap { index in
            let isBike = index < bikes
            let number = isBike ? index : index - bikes
            guard let id = try? DeviceID("\(isBike ? "bike" : "walker")-\(number + 1)") else { return nil }
            let delay = Int64(GymDevice.frameSeconds * 1e6 * Double(index) / Double(count))
            return GymDevice(
                id: id, placement: isBike ? .frame : placements[number % placements.count], stretches: stretches,
                sensors: sensors, rateHz: rateHz, startMicroseconds: startMicroseconds + delay, seed: seed)
        }
    }

    /// The devices (by their index) whose next frame is complete at an instant, the earliest first.
    package func dueDevices(untilMicroseconds: Int64) -> [Int] {
        devices.indices
            .filter { devices[$0].nextFrameEndMicroseconds <= untilMicroseconds }
            .sorted { left, right in
                (devices[left].nextFrameEndMicroseconds, left) < (devices[right].nextFrameEndMicroseconds, right)
            }
    }

    /// The instant at which the next frame of any device is complete; `nil` in an empty gym.
    package var nextDueMicroseconds: Int64? {
        devices.lazy.map(\.nextFrameEndMicroseconds).min()
    }

    /// Makes the next frame of one device.
    package mutating func makeFrame(of index: Int, into frame: inout Frame) {
        devices[index].makeFrame(into: &frame)
    }

    /// What truly happened, as one JSON object: `{"seed", "devices":[{"device", "kind", "placement", "steps",
    /// "revolutions", "work_kj", "frames_sent"}]}`, the work where power is measured.
    package func encodedTruth() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("seed", seed)
            writer.field("devices", objects: devices) { device, writer in
                writer.field("device", device.id.description)
                writer.field("kind", device.kind.rawValue)
                writer.field("placement", device.placement.rawValue)
                writer.field("steps", device.truth.steps)
                writer.field("revolutions", device.truth.revolutions)
                if device.truth.joules > 0 { writer.field("work_kj", device.truth.joules / 1000, decimals: 3) }
                writer.field("frames_sent", device.sequence)
            }
        }
    }

    /// Rest, movement, a pause where a minute or more is to be filled, movement, rest.
    private static func stretches(seconds: Double) -> [GymDevice.Stretch] {
        let active = max(seconds - 10, 4)
        let (start, end) = (
            GymDevice.Stretch(isMoving: false, seconds: 2), GymDevice.Stretch(isMoving: false, seconds: 8)
        )
        guard active > 50 else { return [start, GymDevice.Stretch(isMoving: true, seconds: active), end] }
        let half = GymDevice.Stretch(isMoving: true, seconds: (active - 8) / 2)
        return [start, half, end, half, end]
    }
}

/// A seeded stream of chance: the same seed gives the same numbers on every run.
///
/// The generator is SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014, figure 15. Normal deviates are made by the Box-Muller transform.
package struct RandomSource: Sendable {
    private var state: UInt64
    private var spareDeviate: Double?

    /// A stream of its own for every pair of seed and stream number.
    package init(seed: UInt64, stream: UInt64) {
        state = Self.mixed(seed &+ 0x9e37_79b9_7f4a_7c15 &* (Self.mixed(stream) | 1))
    }

    /// A stream of its own that takes nothing from this one.
    package func branch() -> RandomSource {
        RandomSource(seed: state, stream: 0x6272_616e_6368)
    }

    /// 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// A number in `0 ..< 1`.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number within a range.
    package mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// True with a probability.
    package mutating func chance(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// A standard normal deviate.
    package mutating func deviate() -> Double {
        if let spare = spareDeviate {
            spareDeviate = nil
            return spare
        }
        let radius = (-2 * log(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spareDeviate = radius * sin(angle)
        return radius * cos(angle)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
