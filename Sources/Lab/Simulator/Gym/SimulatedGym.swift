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
            let actor = isBike ? character.bike(&random) : character.walker(index: number, random: &random)
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

    /// What truly happened, with the ledgers of the devices' fault injectors in the same order; a device beyond the
    /// last ledger lost nothing. One JSON object: `{"seed", "devices":[{"device", "kind", "placement", "steps",
    /// "revolutions", "frames_sent", "frames_lost", "frames_duplicated", "frames_reordered", "reboots", "steps_lost",
    /// "revolutions_lost"}]}`; of devices with a barometer also `"ascended_m"` and `"descended_m"`, gone on foot.
    package func encodedTruth(ledgers: [FaultLedger] = []) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("seed", seed)
            writer.field("devices", objects: devices.enumerated()) { row, writer in
                let (index, device) = row
                let ledger = ledgers.indices.contains(index) ? ledgers[index] : FaultLedger(sent: device.sequence)
                Self.write(device, ledger, to: &writer)
            }
        }
    }

    private static func write(_ device: SimulatedDevice, _ ledger: FaultLedger, to writer: inout JSONWriter) {
        writer.field("device", device.id.description)
        writer.field("kind", device.actor.kind.rawValue)
        writer.field("placement", device.actor.placement.rawValue)
        writer.field("steps", device.truth.steps)
        writer.field("revolutions", device.truth.revolutions)
        writer.field("frames_sent", ledger.sent)
        writer.field("frames_lost", ledger.lost)
        writer.field("frames_duplicated", ledger.duplicated)
        writer.field("frames_reordered", ledger.reordered)
        writer.field("reboots", ledger.reboots)
        writer.field("steps_lost", ledger.lostTruth.steps)
        writer.field("revolutions_lost", ledger.lostTruth.revolutions)
        if device.sampling.pressuresPerFrame > 0 {
            writer.field("ascended_m", device.truth.ascendedMetres, decimals: 2)
            writer.field("descended_m", device.truth.descendedMetres, decimals: 2)
        }
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
    /// Bikes are as in `gentle`; every walker goes up `storeys` on foot, down again, and rides the lift as high,
    /// and is as in `gentle` afterwards.
    case stairs(storeys: Int)
}

/// The people in such a gym.
extension GymCharacter {
    func bike(_ random: inout RandomSource) -> SimulatedActor {
        var plan = RidePlan(
            cadenceRangeRPM: 62...98, pedalSeconds: 40...120, restSeconds: 8...12, restProbability: 0.5,
            standProbability: 0, wanderRPM: 1.2)
        if case .demo(let seconds) = self {
            let ride = RideActivity.pedal(rpm: random.uniform(in: 62...98))
            plan.script = Self.demo(ride, .rest, seconds: seconds)
        }
        let mount = BikeMount(
            signalRMS: random.uniform(in: 0.4...0.7), secondToFirstRatio: random.uniform(in: 1.2...2),
            signalToNoise: random.uniform(in: 4...6), touchesPerMinute: 0)
        return .frameRider(plan, mount)
    }

    /// Walkers wear the sensor on the wrist, in the pocket and on the hip in turn.
    func walker(index: Int, random: inout RandomSource) -> SimulatedActor {
        var plan = WalkPlan(
            walkingRange: 97...123, boutSeconds: 30...90, standSeconds: 8...15, runProbability: 0,
            stepVariability: 0.018, cadenceWander: 0.01, gesturesPerMinute: 0.5)
        switch self {
        case .demo(let seconds):
            let walk = WalkActivity.walk(stepsPerMinute: random.uniform(in: 97...123))
            plan.script = Self.demo(walk, .stand, seconds: seconds)
        case .gentle: break
        case .stairs(let storeys): plan.script = WalkPlan.building(storeys: storeys).script.dropLast()
        }
        let placements: [SimulatedPlacement] = [.wrist, .pocket, .hip]
        return .walker(plan, limb: placements[index % placements.count])
    }

    /// Rest, activity, a pause where a minute or more is to be filled, activity, rest.
    private static func demo<Activity>(
        _ activity: Activity, _ rest: Activity, seconds: Double
    ) -> [ActivitySegment<Activity>] {
        let active = max(seconds - 8, 4)
        let (start, end) = (ActivitySegment(rest, seconds: 2), ActivitySegment(rest, seconds: 8))
        guard active > 50 else { return [start, ActivitySegment(activity, seconds: active), end] }
        let half = ActivitySegment(activity, seconds: (active - 8) / 2)
        return [start, half, end, half, end]
    }
}
