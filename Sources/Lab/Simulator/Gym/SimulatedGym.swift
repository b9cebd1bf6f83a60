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
    package private(set) var devices: [SimulatedDevice]

    /// A gym of chosen devices.
    package init(devices: [SimulatedDevice], seed: UInt64) {
        self.devices = devices
        self.seed = seed
    }

    /// A gym of `bikes` bikes (`bike-1`, …) and `wearables` walkers (`walker-1`, …), at most `maximumDevices` of each.
    ///
    /// Their starts are spread over the duration of a frame, so that frames do not come all at once.
    package init(
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
    ///
    /// - Returns: what truly happened in it.
    @discardableResult
    package mutating func makeFrame(of index: Int, into frame: inout Frame) -> MotionTruth {
        guard devices.indices.contains(index) else { return MotionTruth() }
        return devices[index].makeFrame(into: &frame)
    }
}

/// The kind of day in the gym.
package enum GymCharacter: Sendable, Hashable {
    /// Every bike is pedalled steadily at 60 to 100 rpm and every walker walks at 95 to 125 steps a minute, from two
    /// seconds after the start until six seconds before `seconds`, with a pause in the middle when there is time.
    /// Afterwards it is as in `gentle`.
    case demo(seconds: Double)
    /// Steady riders and walkers with clear signals, who rest now and then.
    case gentle
    /// Whatever people do: 30 to 130 rpm in and out of the saddle, weak signals, short bouts, runs, gestures.
    case demanding
    /// Bikes are as in `gentle`; every walker goes up `storeys` on foot, down again, and rides the lift as high,
    /// and is as in `gentle` afterwards.
    case stairs(storeys: Int)
}

/// The people in such a gym.
extension GymCharacter {
    /// One rider in twelve of a demanding day carries the sensor on the crank arm.
    func bike(index: Int, random: inout RandomSource) -> SimulatedActor {
        switch self {
        case .demo(let seconds):
            let rpm = random.uniform(in: 62...98)
            var plan = gentleRide()
            plan.script = Self.demoStretches(seconds).map { isActive, stretch in
                RideSegment(isActive ? .pedal(rpm: rpm) : .rest, seconds: stretch)
            }
            return .frameRider(plan, gentleMount(&random))
        case .gentle, .stairs: return .frameRider(gentleRide(), gentleMount(&random))
        case .demanding:
            let plan = demandingRide(&random)
            let mount = demandingMount(&random)
            return index % 12 == 11 ? .crankRider(plan, mount) : .frameRider(plan, mount)
        }
    }

    /// Walkers wear the sensor on the wrist, in the pocket and on the hip in turn.
    func walker(index: Int, random: inout RandomSource) -> SimulatedActor {
        let placements: [SimulatedPlacement] = [.wrist, .pocket, .hip]
        let placement = placements[index % placements.count]
        switch self {
        case .demo(let seconds):
            let stepsPerMinute = random.uniform(in: 97...123)
            var plan = gentleWalk()
            plan.script = Self.demoStretches(seconds).map { isActive, stretch in
                WalkSegment(isActive ? .walk(stepsPerMinute: stepsPerMinute) : .stand, seconds: stretch)
            }
            return .walker(plan, placement)
        case .gentle: return .walker(gentleWalk(), placement)
        case .stairs(let storeys):
            var plan = gentleWalk()
            plan.script = WalkPlan.building(storeys: storeys).script.dropLast()
            return .walker(plan, placement)
        case .demanding:
            let plan = WalkPlan(
                walkingRange: 60...140, boutSeconds: 3...60, standSeconds: 2...20, runProbability: 0.25,
                stepVariability: random.uniform(in: 0.015...0.05), cadenceWander: 0.03, gesturesPerMinute: 20)
            return .walker(plan, placement)
        }
    }

    /// Rest, activity, a pause where a minute or more is to be filled, activity, rest.
    private static func demoStretches(_ seconds: Double) -> [(isActive: Bool, seconds: Double)] {
        let active = max(seconds - 8, 4)
        guard active > 50 else { return [(false, 2), (true, active), (false, 8)] }
        let half = (active - 8) / 2
        return [(false, 2), (true, half), (false, 8), (true, half), (false, 8)]
    }

    private func gentleRide() -> RidePlan {
        RidePlan(
            cadenceRangeRPM: 62...98, pedalSeconds: 40...120, restSeconds: 8...12, restProbability: 0.5,
            standProbability: 0, wanderRPM: 1.2)
    }

    private func gentleMount(_ random: inout RandomSource) -> BikeMount {
        BikeMount(
            signalRMS: random.uniform(in: 0.4...0.7), secondToFirstRatio: random.uniform(in: 1.2...2),
            signalToNoise: random.uniform(in: 4...6), touchesPerMinute: 0)
    }

    private func gentleWalk() -> WalkPlan {
        WalkPlan(
            walkingRange: 97...123, boutSeconds: 30...90, standSeconds: 8...15, runProbability: 0,
            stepVariability: 0.018, cadenceWander: 0.01, gesturesPerMinute: 0.5)
    }

    private func demandingRide(_ random: inout RandomSource) -> RidePlan {
        RidePlan(
            cadenceRangeRPM: 30...130, pedalSeconds: 8...60, restSeconds: 2...15, restProbability: 0.4,
            standProbability: 0.2, wanderRPM: 4, hasFreewheel: random.chance(0.5))
    }

    private func demandingMount(_ random: inout RandomSource) -> BikeMount {
        BikeMount(
            signalRMS: random.uniform(in: 0.15...0.8), secondToFirstRatio: random.uniform(in: 1...10),
            signalToNoise: random.uniform(in: 0.5...5), resonanceHz: random.uniform(in: 6...15),
            damping: random.uniform(in: 0.04...0.15), phaseDrift: random.uniform(in: 0.02...0.15), touchesPerMinute: 2)
    }
}
