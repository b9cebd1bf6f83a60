import Bodies
import Motion
import Wire
import Lab

/// Someone simulated for the fit: rides with a sensor on the body, walks, handwork and drives, because few or none are on
/// record. A seed makes the same ones again.
struct SimulatedSubject {
    /// `ride`, `walk`, `hand` or `vehicle`.
    let kind: String
    let placement: SimulatedPlacement
    let activity: String
    private let actor: SimulatedActor
    private let part: SensorPart
    private let seed: UInt64

    /// The duration of each, s.
    private static let seconds = 75
    private static let rateHz = 50.0

    /// Everyone of a seed.
    static func all(seed: UInt64) -> [SimulatedSubject] {
        var random = RandomSource(seed: seed, stream: 0x6669_74)
        var all: [SimulatedSubject] = []
        func add(_ kind: String, _ placement: SimulatedPlacement, _ activity: String, _ actor: SimulatedActor) {
            all.append(
                SimulatedSubject(
                    kind: kind, placement: placement, activity: activity, actor: actor,
                    part: all.count % 3 == 0 ? .mpu6050 : .lsm6dso, seed: seed &* 1000 &+ UInt64(all.count)))
        }
        for placement in TrialConditions.walkPlacements {
            for (name, plan) in walks(placement, &random) { add("walk", placement, name, .walker(plan, placement)) }
            add("vehicle", placement, "drive", .passenger(placement))
        }
        for placement in [SimulatedPlacement.wrist, .pocket, .thigh, .ankle] {
            for (name, plan) in rides(&random) { add("ride", placement, name, .wearingRider(plan, placement)) }
        }
        // A phone in the hand that works measures what a watch measures.
        for placement in [SimulatedPlacement.wrist, .wrist, .hand] {
            for work in HandWork.allCases { add("hand", placement, "\(work)", .worker(work)) }
        }
        return all
    }

    private static func walks(
        _ placement: SimulatedPlacement, _ random: inout RandomSource
    ) -> [(String, WalkPlan)] {
        var plans: [(String, WalkPlan)] = []
        for cadences in [43.0...60, 60...85, 85...105, 100...118, 115...140] {
            plans.append(("walk", bouts(.walk(stepsPerMinute: random.uniform(in: cadences)), &random)))
        }
        plans.append(("slow", bouts(.walk(stepsPerMinute: random.uniform(in: 28...46)), &random)))
        for cadences in [145.0...170, 165...215] {
            plans.append(("run", bouts(.run(stepsPerMinute: random.uniform(in: cadences)), &random)))
        }
        for cadences in [48.0...75, 70...100] {
            var plan = bouts(.walk(stepsPerMinute: random.uniform(in: cadences)), &random)
            plan.limp = Limp(
                shortStepShare: random.uniform(in: 0.34...0.46), weakFootStrength: random.uniform(in: 0.3...0.8))
            plans.append(("limp", plan))
            plan = bouts(.walk(stepsPerMinute: random.uniform(in: cadences)), &random)
            plan.stepVariability = random.uniform(in: 0.06...0.13)
            plans.append(("uneven", plan))
        }
        for stairMetres in [0.17, -0.17] {
            let rate = random.uniform(in: 75...110)
            plans.append(("stairs", bouts(.climb(stepsPerMinute: rate, stairMetres: stairMetres), &random)))
        }
        for (bout, stand) in [(3.0...10.0, 1.8...6.0), (2...6, 2...8), (6...20, 3...8)] {
            let plan = WalkPlan {
                ($0.walkingRange, $0.boutSeconds, $0.standSeconds) = (68...128, bout, stand)
                ($0.runProbability, $0.stepVariability, $0.cadenceWander) = (0.05, 0.05, 0.04)
                $0.gesturesPerMinute = random.uniform(in: 0...20)
            }
            plans.append(("bouts", plan))
        }
        for gestures in [10.0, 30] {
            let stand = WalkSegment(.stand, seconds: 2000)
            plans.append(("stand", WalkPlan { ($0.script, $0.gesturesPerMinute) = ([stand], gestures) }))
        }
        guard placement == .wrist else { return plans }
        for armSwing in [0.1, 1.5] {
            var plan = bouts(.walk(stepsPerMinute: random.uniform(in: 75...125)), &random)
            plan.armSwing = armSwing
            plans.append(("walk", plan))
        }
        for handle in Handle.allCases {
            var plan = bouts(.walk(stepsPerMinute: random.uniform(in: 75...130)), &random)
            plan.handle = handle
            plans.append(("walk", plan))
        }
        return plans
    }

    /// Two bouts of one activity, with stands before, between and after.
    private static func bouts(_ activity: WalkActivity, _ random: inout RandomSource) -> WalkPlan {
        let bout = WalkSegment(activity, seconds: 25)
        return WalkPlan {
            $0.script = [
                WalkSegment(.stand, seconds: random.uniform(in: 4...8)), bout,
                WalkSegment(.stand, seconds: random.uniform(in: 4...9)), bout, WalkSegment(.stand, seconds: 1000),
            ]
            $0.stepVariability = random.uniform(in: 0.015...0.05)
            $0.cadenceWander = random.uniform(in: 0.01...0.04)
            $0.gesturesPerMinute = random.uniform(in: 0...20)
        }
    }

    private static func rides(_ random: inout RandomSource) -> [(String, RidePlan)] {
        var plans: [(String, RidePlan)] = []
        for cadences in [22.0...33, 30...45, 42...58, 55...72, 68...85, 80...100, 95...122, 115...150, 140...185] {
            let rpm = random.uniform(in: cadences)
            let name = rpm > 135 ? "sprint" : "ride"
            let script = [
                RideSegment(.rest, seconds: random.uniform(in: 3...7)), RideSegment(.pedal(rpm: rpm), seconds: 28),
                RideSegment(.rest, seconds: random.uniform(in: 4...9)),
                RideSegment(.pedal(rpm: rpm * random.uniform(in: 0.8...1.15)), seconds: 24),
                RideSegment(.rest, seconds: 1000),
            ]
            plans.append((name, RidePlan { ($0.script, $0.wanderRPM) = (script, random.uniform(in: 0.8...3)) }))
        }
        let lesson = RidePlan {
            ($0.cadenceRangeRPM, $0.pedalSeconds, $0.restSeconds) = (35...115, 8...30, 3...10)
            ($0.restProbability, $0.standProbability, $0.wanderRPM) = (0.35, 0.25, 3)
            $0.hasFreewheel = random.chance(0.5)
        }
        let road = RidePlan {
            ($0.cadenceRangeRPM, $0.pedalSeconds, $0.restSeconds) = (30...90, 5...25, 3...15)
            ($0.restProbability, $0.standProbability, $0.wanderRPM) = (0.5, 0.1, 4)
        }
        return plans + [("lesson", lesson), ("road", road)]
    }

    /// The sensor's samples, and the times of the steps or revolutions, s.
    func samples() throws -> (samples: [MotionSample], events: [Double]) {
        var device = SimulatedDevice(
            id: try DeviceID("fit-\(seed)"), actor: actor,
            sampling: SimulatedSampling(rateHz: Self.rateHz, frameSeconds: 0.5, part: part),
            startMicroseconds: RecordingFile.startMicroseconds, seed: seed)
        var frame = Frame()
        var (samples, events) = ([MotionSample](), [Double]())
        while samples.count < Int(Double(Self.seconds) * Self.rateHz) {
            device.makeFrame(into: &frame)
            for index in 0..<frame.sampleCount {
                let values = frame.values[(6 * index)..<(6 * index + 6)].map { $0 }
                samples.append(
                    MotionSample(
                        timeMicroseconds: Int64(Double(samples.count) / Self.rateHz * 1e6),
                        acceleration: SIMD3(values[0], values[1], values[2]),
                        angularVelocity: SIMD3(values[3], values[4], values[5]),
                        sensors: [.acceleration, .angularVelocity]))
            }
            events += device.lastEvents.map { Double($0.microseconds - RecordingFile.startMicroseconds) / 1e6 }
        }
        return (samples, events)
    }
}
