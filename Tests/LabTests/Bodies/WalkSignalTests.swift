@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("The signal of a walker")
struct WalkSignalTests {
    private func walk(
        _ activity: WalkActivity, _ placement: SimulatedPlacement, seed: UInt64 = 4, stepVariability: Double = 0.02
    ) throws -> Recorded {
        let plan = WalkPlan(
            script: [WalkSegment(activity, seconds: 1_000)], stepVariability: stepVariability, cadenceWander: 0.001,
            gesturesPerMinute: 0)
        var device = try SimulatedDeviceTests.device(.walker(plan, placement), seed: seed)
        _ = Recorded(&device, frames: 3)
        return Recorded(&device, frames: 45)
    }

    @Test("On the hip the strongest line of |a| is the step", arguments: [90.0, 110, 125])
    func hip(stepsPerMinute: Double) throws {
        let recorded = try walk(.walk(stepsPerMinute: stepsPerMinute), .hip)
        let line = strongestLine([recorded.magnitudes], from: 0.5, to: 4, rateHz: 50)
        #expect(abs(line - stepsPerMinute / 60) < 0.1)
    }

    @Test(
        "A phone that is read and a bag feel each step, and hardly anything while their bearer stands",
        arguments: [SimulatedPlacement.hand, .bag], [UInt64(4), 5, 6, 7])
    func carried(placement: SimulatedPlacement, seed: UInt64) throws {
        let walked = try walk(.walk(stepsPerMinute: 110), placement, seed: seed).magnitudes
        #expect(abs(strongestLine([walked], from: 1.2, to: 2.4, rateHz: 50) - 110.0 / 60) < 0.1)
        #expect((0.8...4).contains(deviation(walked)))
        #expect(deviation(try walk(.stand, placement, seed: seed).magnitudes) < 0.3)
    }

    @Test("An arm and a thigh swing once a stride", arguments: [SimulatedPlacement.wrist, .pocket])
    func swing(placement: SimulatedPlacement) throws {
        let recorded = try walk(.walk(stepsPerMinute: 108), placement)
        let line = strongestLine((3..<6).map(recorded.column), from: 0.4, to: 4, rateHz: 50)
        #expect(abs(line - 0.9) < 0.08)
    }

    @Test("The steps are those of the cadence asked for", arguments: [70.0, 100, 130])
    func cadence(stepsPerMinute: Double) throws {
        let recorded = try walk(.walk(stepsPerMinute: stepsPerMinute), .wrist)
        #expect(abs(Double(recorded.truth.steps) / 0.75 - stepsPerMinute) < 3)
    }

    @Test("From the first step of a walk to the second it is longer than to those that follow")
    func beginning() throws {
        let plan = WalkPlan(
            script: [WalkSegment(.walk(stepsPerMinute: 100), seconds: 1_000)], stepVariability: 0.01,
            cadenceWander: 0.001, gesturesPerMinute: 0)
        var device = try SimulatedDeviceTests.device(.walker(plan, .hip), seed: 4)
        let recorded = Recorded(&device, frames: 10)
        let intervals = zip(recorded.events, recorded.events.dropFirst())
            .map { Double($1.microseconds - $0.microseconds) / 1e6 }
        #expect(abs(intervals[0] / 0.6 - 1.25) < 0.1)
        #expect(abs(mean(Array(intervals.dropFirst())) - 0.6) < 0.02)
    }

    @Test("Step times vary as asked for")
    func variability() throws {
        let recorded = try walk(.walk(stepsPerMinute: 110), .hip, stepVariability: 0.04)
        let intervals = zip(recorded.events, recorded.events.dropFirst().dropFirst())
            .map { Double($1.microseconds - $0.microseconds) }
        // A stride is two steps, and its left-right difference cancels.
        let strideVariation = deviation(intervals) / mean(intervals)
        #expect((0.018...0.042).contains(strideVariation))
    }

    @Test("A limping walker's steps are short and long in turn, at the cadence asked for")
    func limp() throws {
        var plan = WalkPlan(
            script: [WalkSegment(.walk(stepsPerMinute: 100), seconds: 1_000)], cadenceWander: 0.001,
            gesturesPerMinute: 0)
        plan.limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        var device = try SimulatedDeviceTests.device(.walker(plan, .hip), seed: 4)
        let recorded = Recorded(&device, frames: 45)
        let intervals = zip(recorded.events.dropFirst(2), recorded.events.dropFirst(3))
            .map { Double($1.microseconds - $0.microseconds) / 1e6 }
        let pairs = zip(intervals, intervals.dropFirst()).map { min($0, $1) / ($0 + $1) }
        #expect(abs(mean(pairs) - 0.4) < 0.04)
        #expect(abs(mean(intervals) - 0.6) < 0.02)
    }

    @Test("On stairs a body is thrown about more on the way down than on the way up, and a thigh swings wide")
    func stairs() throws {
        func shake(_ stairMetres: Double) throws -> Double {
            deviation(try walk(.climb(stepsPerMinute: 100, stairMetres: stairMetres), .hip).magnitudes)
        }
        let (up, down) = (try shake(WalkPlan.stairMetres), try shake(-WalkPlan.stairMetres))
        #expect((1...2.5).contains(up) && (1.3 * up...4).contains(down))
        func turning(_ stairMetres: Double) throws -> Double {
            let thigh = try walk(.climb(stepsPerMinute: 100, stairMetres: stairMetres), .thigh)
            return mean((3..<6).map { deviation(thigh.column($0)) }.map { $0 * $0 }).squareRoot()
        }
        #expect(try turning(WalkPlan.stairMetres) > 1.2 * turning(-WalkPlan.stairMetres))
    }

    @Test("An arm that carries something swings less than one that does not")
    func carrying() throws {
        func turning(_ armSwing: Double) throws -> Double {
            var plan = WalkPlan(script: [WalkSegment(.walk(stepsPerMinute: 100), seconds: 1_000)])
            plan.armSwing = armSwing
            var device = try SimulatedDeviceTests.device(.walker(plan, .wrist), seed: 4)
            let recorded = Recorded(&device, frames: 20)
            return mean((3..<6).map { deviation(recorded.column($0)) })
        }
        #expect(try turning(0.1) < 0.5 * turning(1))
    }

    @Test("A hand on a handle is moved by each step, but less than the trunk is", arguments: Handle.allCases)
    func handle(_ handle: Handle) throws {
        var plan = WalkPlan(script: [WalkSegment(.walk(stepsPerMinute: 110), seconds: 1_000)], cadenceWander: 0.001)
        plan.handle = handle
        var device = try SimulatedDeviceTests.device(.walker(plan, .wrist), seed: 4)
        _ = Recorded(&device, frames: 3)
        let held = Recorded(&device, frames: 45).magnitudes
        #expect(abs(strongestLine([held], from: 1.2, to: 2.4, rateHz: 50) - 110.0 / 60) < 0.1)
        let trunk = deviation(try walk(.walk(stepsPerMinute: 110), .hip).magnitudes)
        #expect((0.1 * trunk...0.5 * trunk).contains(deviation(held)))
    }

    @Test("A runner leaves the ground: the acceleration falls towards 0 and rises beyond 2 g in every second")
    func running() throws {
        let recorded = try walk(.run(stepsPerMinute: 165), .hip)
        let magnitudes = recorded.magnitudes
        for second in 0..<(magnitudes.count / 50) {
            let samples = magnitudes[(second * 50)..<(second * 50 + 50)]
            #expect((samples.min() ?? 0) < 5)
            #expect((samples.max() ?? 0) > 17)
        }
    }

    @Test("Who stands makes no steps and hardly moves", arguments: [SimulatedPlacement.wrist, .pocket, .hip])
    func standing(placement: SimulatedPlacement) throws {
        let recorded = try walk(.stand, placement)
        #expect(recorded.truth.steps == 0)
        #expect(deviation(recorded.magnitudes) < 0.15)
    }

    @Test(
        "Walking shakes |a| as much as walkers' recordings do: 1 to 4 m/s²",
        arguments: [SimulatedPlacement.wrist, .pocket, .hip])
    func strength(placement: SimulatedPlacement) throws {
        for seed in 1...2 {
            let recorded = try walk(.walk(stepsPerMinute: 110), placement, seed: UInt64(seed))
            #expect((1...4).contains(deviation(recorded.magnitudes)))
        }
    }

    @Test(
        "Who sits in a vehicle takes no steps, and feels gravity, the road and the lights",
        arguments: [SimulatedPlacement.wrist, .pocket, .hip])
    func drive(_ placement: SimulatedPlacement) throws {
        for seed in 1...3 {
            var device = try SimulatedDeviceTests.device(.passenger(placement), seed: UInt64(seed))
            #expect(device.actor.placement == placement && device.actor.kind == .wearable)
            let recorded = Recorded(&device, frames: 200)
            #expect(recorded.events.isEmpty && device.truth.steps == 0)
            let mean = recorded.magnitudes.reduce(0, +) / Double(recorded.magnitudes.count)
            #expect((9.6...10.2).contains(mean))
            let square = recorded.magnitudes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            #expect((0.1...1.5).contains((square / Double(recorded.magnitudes.count)).squareRoot()))
        }
    }

    @Test("Who works with a hand takes no steps, and feels gravity and the strokes", arguments: HandWork.allCases)
    func work(_ work: HandWork) throws {
        var device = try SimulatedDeviceTests.device(.worker(work), seed: 3)
        #expect(device.actor.placement == .wrist && device.actor.kind == .wearable)
        _ = Recorded(&device, frames: 4)
        let recorded = Recorded(&device, frames: 40)
        #expect(recorded.events.isEmpty && device.truth.steps == 0)
        let mean = recorded.magnitudes.reduce(0, +) / Double(recorded.magnitudes.count)
        // What is shaken hard is thrown about by more than gravity.
        #expect((9...(work == .shake ? 20 : 13)).contains(mean))
        let square = recorded.magnitudes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        #expect((0.02...12).contains((square / Double(recorded.magnitudes.count)).squareRoot()))
    }
}
