package import Lab
import Wire

/// Steady riders and walkers with clear signals, for measurements.
///
/// They move from two seconds after the start until eight seconds before `seconds`, with a pause in the middle where a
/// minute or more is to be filled, and as they like afterwards.
extension SimulatedActor {
    /// Pedals at 62 to 98 rpm.
    package static func gymRider(seconds: Double, random: inout RandomSource) -> SimulatedActor {
        var plan = RidePlan(
            cadenceRangeRPM: 62...98, pedalSeconds: 40...120, restSeconds: 8...12, restProbability: 0.5,
            standProbability: 0, wanderRPM: 1.2)
        let ride = RideActivity.pedal(rpm: random.uniform(in: 62...98))
        plan.script = script(of: ride, .rest, seconds: seconds)
        let mount = BikeMount(
            signalRMS: random.uniform(in: 0.4...0.7), secondToFirstRatio: random.uniform(in: 1.2...2),
            signalToNoise: random.uniform(in: 4...6), touchesPerMinute: 0)
        return .frameRider(plan, mount)
    }

    /// Walks at 97 to 123 steps a minute.
    package static func gymWalker(
        _ placement: SimulatedPlacement, seconds: Double, random: inout RandomSource
    ) -> SimulatedActor {
        var plan = WalkPlan(
            walkingRange: 97...123, boutSeconds: 30...90, standSeconds: 8...15, runProbability: 0,
            stepVariability: 0.018, cadenceWander: 0.01, gesturesPerMinute: 0.5)
        let walk = WalkActivity.walk(stepsPerMinute: random.uniform(in: 97...123))
        plan.script = script(of: walk, .stand, seconds: seconds)
        return .walker(plan, placement)
    }

    private static func script<Activity>(
        of activity: Activity, _ rest: Activity, seconds: Double
    ) -> [ActivitySegment<Activity>] {
        let active = max(seconds - 8, 4)
        let (start, end) = (ActivitySegment(rest, seconds: 2), ActivitySegment(rest, seconds: 8))
        guard active > 50 else { return [start, ActivitySegment(activity, seconds: active), end] }
        let half = ActivitySegment(activity, seconds: (active - 8) / 2)
        return [start, half, end, half, end]
    }
}

extension SimulatedDevice {
    /// A rider with a phone on the frame, or a walker with a watch on the wrist, as a measurement wants it.
    package init(isBike: Bool, seconds: Double, frameSeconds: Double, startMicroseconds: Int64, seed: UInt64) throws {
        var random = RandomSource(seed: seed, stream: isBike ? 1 : 0)
        self.init(
            id: try DeviceID(isBike ? "bike-1" : "walker-1"),
            actor: isBike
                ? .gymRider(seconds: seconds, random: &random)
                : .gymWalker(.wrist, seconds: seconds, random: &random),
            sampling: SimulatedSampling(frameSeconds: frameSeconds), startMicroseconds: startMicroseconds, seed: seed)
    }
}
