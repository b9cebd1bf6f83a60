@testable import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials

/// Walks and runs of all kinds of people, with a sensor above the knee or on an arm.
@Suite("Walkers")
struct WalkerTests {
    @Test("Who walks or runs is counted", arguments: gaits + places + bouts)
    func counted(fact: CountedFact) throws { try fact.check() }

    private static let few = Sweep.seeds(1..<4)

    private static let gaits = [
        CountedFact(
            "A slow walk is counted, though a body hardly rises in it", [.walk(60), .walk(75)], [.hip], seeds: few,
            steps: [.each(0.95...1.03)]),
        CountedFact(
            "Most of a very slow one is", [.walk(50)], [.hip, .pocket, .wrist], seeds: few, steps: [.each(0.8...1.05)]),
        CountedFact(
            "So are slow steps in a pocket and on a thigh, however few notes of the feet a sample rate leaves",
            [.walk(75), .limp(75)], [.pocket, .thigh], ratesHz: [12.5, 15, 25, 50],
            seeds: Sweep.seeds(700..<708, sample: 2), steps: [.together(0.95...1.03), .each(0.6...1.2)]),
        CountedFact(
            "A limp is counted, with one step half as long again as the other, and no pedalling",
            [.limp(60), .limp(75), .limp(90), .limp(110)], [.hip, .pocket], ratesHz: [12.5, 50],
            seeds: Sweep.seeds(700..<708), steps: [.together(0.94...1.03)], revolutions: [.most(10)]),
        CountedFact(
            "A limping walker's wrist is counted", [.limp(75), .limp(90), .limp(110)], [.wrist], seeds: few,
            steps: [.each(0.92...1.03)]),
        CountedFact(
            "The first steps of a walk and the last are counted, though they are soft", [.walk(115)],
            [.hip, .pocket, .thigh], ratesHz: [12.5, 50], seeds: 7000..<7002, steps: [.within(1)]),
        CountedFact(
            "A slow walker's wrist is counted at any sample rate", [.walk(60), .walk(75), .walk(90)], [.wrist],
            ratesHz: [12.5, 25, 50], seeds: Sweep.seeds(11..<23), steps: [.each(0.85...1.06)]),
        CountedFact(
            "It pedals nothing while the walk begins", [.walk(75)], [.wrist], ratesHz: [12.5, 25, 50],
            seeds: Sweep.seeds(1..<25), revolutions: [.most(1)]),
        CountedFact(
            "A runner's wrist is counted at any sample rate", [.run(150), .run(180)], [.wrist],
            ratesHz: [12.5, 15, 25, 50], seeds: Sweep.seeds(1..<21), steps: [.each(0.85...1.06)]),
        CountedFact(
            "A run begins and ends where a body runs, not where an arm still swings", [.run(150), .run(170)],
            [.hip, .wrist], seeds: few, steps: [.each(0.98...1.02)]),
        CountedFact(
            "A wrist that is sampled slowly is counted as one that is not", [.walk(105)], [.wrist],
            ratesHz: [10, 12.5, 25, 100], seeds: few, steps: [.each(0.97...1.03)]),
        CountedFact(
            "A fast run is not taken for one at half the pace, though the arm swings once in two steps",
            [.run(190), .run(210)], [.wrist], seeds: few, steps: [.each(0.95...1.03)]),
        CountedFact(
            "Steps are counted though each takes another time", [.uneven(60), .uneven(80), .uneven(100)],
            [.hip, .pocket, .thigh], ratesHz: [12.5, 25, 50], seeds: 1..<4,
            steps: [.together(0.92...1.04), .each(0.8...1.04)]),
        CountedFact(
            "Feet that land hard and out of time are heard, though no two jolts meet", [.uneven(60)],
            [.hip, .bag, .pocket], ratesHz: [25, 50, 100], seeds: 40..<46, steps: [.together(0.88...1.05)]),
        CountedFact(
            "Most of them are in a hand", [.uneven(60)], [.hand], ratesHz: [25, 50, 100], seeds: 40..<46,
            steps: [.together(0.6...1.05)]),
        CountedFact(
            "Steps behind a pram and at a treadmill's rail are counted, and are no turns of a crank",
            [.holding(.cart, 110), .holding(.cart, 130), .holding(.rail, 90), .holding(.rail, 110)], [.wrist],
            ratesHz: [12.5, 25, 50], seeds: Sweep.seeds(7400..<7408, sample: 2), steps: [.together(0.95...1.05)],
            revolutions: [.aMinute(4)]),
        CountedFact(
            "Who runs behind a pram is counted", [.goes(.run(stepsPerMinute: 150)) { $0.handle = .cart }], [.wrist],
            seeds: Sweep.seeds(7400..<7408, sample: 2), steps: [.together(0.9...1.05)]),
    ]

    private static let places = [
        CountedFact(
            "A slow walk and a limp are counted where nobody told the place of the sensor",
            [.walk(60), .walk(75), .limp(75)], [.hip, .pocket, .thigh], told: [.somewhere],
            seeds: Sweep.seeds(7400..<7408, sample: 3), steps: [.together(0.93...1.05)]),
        CountedFact(
            "A walker makes steps and no revolutions where nothing is told of the sensor",
            [.walk(97), .walk(104), .walk(111), .walk(118)], [.wrist, .pocket, .hip], told: [.nothing], seeds: 80..<81,
            steps: [.within(4)], revolutions: [.most(0)]),
        CountedFact(
            "So does a slow one, though so slow a body hardly shakes it more than a bike's frame is", [.walk(75)],
            [.hip, .bag, .pocket], told: [.nothing], seeds: Sweep.seeds(7400..<7408, sample: 2),
            steps: [.together(0.85...1.05)], revolutions: [.aMinute(4)]),
        CountedFact(
            "So does a sprinter's pocket, though nothing so quick is smooth", [.run(215)], [.pocket], told: [.nothing],
            seeds: 51..<63, steps: [.each(0.95...1.05)]),
        CountedFact(
            "Walks and runs are mostly counted below the knee where nobody told of it",
            [.walk(75), .walk(90), .walk(110), .run(170)], [.ankle], told: [.nothing, .somewhere], seeds: 7700..<7704,
            steps: [.together(0.85...1.05)], revolutions: [.aMinute(1.5)]),
        CountedFact(
            "A runner's jacket pocket is not on a pedal", [.run(140), .run(160), .run(180)], [.hip], told: [.pocket],
            ratesHz: [12.5, 50], seeds: Sweep.seeds(700..<706, sample: 2), steps: [.each(0.95...1.05)]),
        CountedFact(
            "Nor is a trouser pocket or a thigh, though it swings as a rider's",
            [.run(150), .run(215)], [.thigh, .pocket], ratesHz: [15, 25, 50],
            seeds: Sweep.seeds(700..<706, sample: 2), steps: [.each(0.8...1.05)]),
        CountedFact(
            "With a gyroscope too every runner of a dozen is counted there", [.runsOn(150), .runsOn(170)],
            [.thigh, .pocket],
            sensors: [.sixAxes], ratesHz: [12.5, 50], seeds: Sweep.seeds(530..<542), steps: [.each(0.94...1.06)],
            revolutions: [.most(0)]),
        CountedFact(
            "So is every one who runs fast", [.runsOn(190), .runsOn(215)], [.thigh, .pocket], sensors: [.sixAxes],
            seeds: Sweep.seeds(530..<542), steps: [.each(0.94...1.06)], revolutions: [.most(0)]),
        CountedFact(
            "A walker's and a runner's thigh makes steps, though it swings nearly as a pure line",
            [.walk(80), .walk(105), .walk(130), .run(165), .run(180)], [.thigh], sensors: [.sixAxes],
            seeds: Sweep.seeds(510..<513), steps: [.each(0.94...1.06)], revolutions: [.most(2)]),
        CountedFact(
            "It is not taken for one that pedals when it begins", [.begins(90), .begins(110), .begins(130)], [.thigh],
            seeds: Sweep.seeds(660..<666), steps: [.within(3)], revolutions: [.most(0)]),
        CountedFact(
            "A gyroscope alone on a thigh tells a walk from a ride", [.walk(60), .walk(75), .walk(90), .walk(105)],
            [.thigh], sensors: [.angularVelocity], seeds: Sweep.seeds(720..<723), steps: [.each(0.5...2)]),
        CountedFact(
            "Who climbs stairs with a sensor in a pocket or on a thigh walks, and pedals nothing",
            [.stairs(75), .stairs(90), .stairs(100), .stairs(115)], [.pocket, .thigh], seeds: 7000..<7008,
            steps: [.together(0.88...1.05), .each(0.6...1.1)], revolutions: [.most(9)]),
        CountedFact(
            "With a gyroscope hardly a stair is lost", [.stairs(75), .stairs(90), .stairs(100), .stairs(115)],
            [.pocket, .thigh], sensors: [.sixAxes], seeds: 7000..<7008,
            steps: [.together(0.95...1.05), .each(0.6...1.1)], revolutions: [.most(9)]),
        CountedFact(
            "Who goes down stairs with a sensor at the hip pedals nothing",
            [.stairs(85, isDown: true), .stairs(110, isDown: true), .stairs(125, isDown: true)], [.hip],
            seeds: 7000..<7008, steps: [.together(0.95...1.03), .each(0.6...1.1)], revolutions: [.most(9)]),
    ]

    private static let bouts = [
        CountedFact(
            "Errands about a house are counted, however slowly they are sampled", [.errands], [.hip, .pocket],
            ratesHz: [12.5, 25, 100], seeds: 7700..<7702, steps: [.wrong(0.1)]),
        CountedFact(
            "Most of them are at a wrist", [.errands], [.wrist], ratesHz: [12.5, 25, 100], seeds: 7700..<7702,
            steps: [.wrong(0.3)]),
        CountedFact(
            "They are roughly counted below the knee", [.errands], [.ankle], ratesHz: [12.5, 25, 100],
            seeds: 660..<663, steps: [.together(2.0 / 3...4.0 / 3)], revolutions: [.most(0)]),
        CountedFact(
            "With a gyroscope nearly all are", [.errands], [.ankle], sensors: [.sixAxes], seeds: 680..<683,
            steps: [.together(0.9...1.1)]),
        CountedFact(
            "Most of them are where nothing is told of the sensor", [.errands], [.ankle], told: [.nothing],
            sensors: [.sixAxes], seeds: 680..<683, steps: [.together(0.8...1.2)]),
        CountedFact(
            "Bouts of ten steps are not lost where little is told", [.tenSteps], [.hip, .pocket, .thigh],
            told: [.nothing, .somewhere], seeds: Sweep.seeds(90..<93), steps: [.together(0.8...1.1)]),
        CountedFact(
            "Who goes a few steps again and again is not taken for pedalling", [.fewSteps], [.wrist],
            seeds: 7001..<7008, revolutions: [.most(14)]),
        CountedFact(
            "Gestures of who stands are no bout at any sample rate", [.gesticulates], [.wrist],
            ratesHz: [12.5, 25, 100], seeds: 7710..<7712, steps: [.most(0)]),
        CountedFact(
            "A run at twice the pace of the walk before it, and a walk at half of a run's, keep their own pace",
            [.halfAndTwice], [.pocket, .thigh, .hip], ratesHz: [12.5, 25, 50],
            seeds: Sweep.seeds(700..<706, sample: 2), steps: [.wrong(0.06)], revolutions: [.most(9)]),
        CountedFact(
            "A bottle that is shaken, and hands that clap or brush, make no steps, but for one bottle of ten",
            [.works(.shake), .works(.clap), .works(.brush), .works(.curl)], [.wrist], ratesHz: [25, 50],
            seeds: Sweep.seeds(7_090..<7_100, sample: 3), steps: [.most(8, besides: 1)]),
        CountedFact(
            "A hand that rows, lifts or shakes moves farther or quicker than one on a handlebar",
            [.works(.row), .works(.curl), .works(.shake), .works(.hammer), .works(.chop)], [.wrist],
            ratesHz: [12.5, 50], seeds: Sweep.seeds(1..<7, sample: 2), revolutions: [.aMinute(10)]),
        CountedFact(
            "The springs of a seat turn no pedals",
            [Deed("sits in a vehicle", seconds: 90) { .passenger($0) }], [.thigh, .ankle],
            seeds: Sweep.seeds(636..<639), revolutions: [.most(0)]),
    ]
}

extension Deed {
    /// Walks with steps of which each takes another time by 12 %.
    fileprivate static func uneven(_ stepsPerMinute: Double) -> Deed {
        goes(.walk(stepsPerMinute: stepsPerMinute)) { ($0.stepVariability, $0.cadenceWander) = (0.12, 0.05) }
    }

    /// Stands for a moment and goes on and on.
    fileprivate static func setsOut(_ activity: WalkActivity, seconds: Double) -> Deed {
        let script = [WalkSegment(.stand, seconds: 5), WalkSegment(activity, seconds: 1_000)]
        let plan = WalkPlan(script: script, gesturesPerMinute: 0)
        return Deed("sets out, \(activity)", seconds: seconds, named: "bike-1", plan)
    }

    fileprivate static func begins(_ stepsPerMinute: Double) -> Deed {
        setsOut(.walk(stepsPerMinute: stepsPerMinute), seconds: 40)
    }

    fileprivate static func runsOn(_ stepsPerMinute: Double) -> Deed {
        setsOut(.run(stepsPerMinute: stepsPerMinute), seconds: 60)
    }

    /// Walks and holds on to something, so that no arm swings.
    fileprivate static func holding(_ handle: Handle, _ stepsPerMinute: Double) -> Deed {
        goes(.walk(stepsPerMinute: stepsPerMinute)) { $0.handle = handle }
    }

    /// Stands, is on stairs for half a minute and stands.
    fileprivate static func stairs(_ stepsPerMinute: Double, isDown: Bool = false) -> Deed {
        let metres = (isDown ? -1 : 1) * WalkPlan.stairMetres
        let script =
            [WalkSegment(.stand, seconds: 8)]
            + WalkPlan.stairs(stepsPerMinute: stepsPerMinute, stairMetres: metres, seconds: 30)
            + [WalkSegment(.stand, seconds: 1_000)]
        let plan = WalkPlan(script: script, stepVariability: 0.04, gesturesPerMinute: 0)
        return Deed("stairs at \(stepsPerMinute)", seconds: 50, plan)
    }

    /// Bouts of some seconds, with stands in which the arms move.
    fileprivate static let errands = Deed(
        "errands", seconds: 100,
        WalkPlan(
            walkingRange: 75...120, boutSeconds: 3...10, standSeconds: 1.5...6, runProbability: 0,
            stepVariability: 0.05, cadenceWander: 0.05))

    fileprivate static let fewSteps = Deed(
        "a few steps", seconds: 240,
        WalkPlan(
            walkingRange: 75...120, boutSeconds: 2...5, standSeconds: 1.5...6, runProbability: 0,
            stepVariability: 0.06, cadenceWander: 0.05, gesturesPerMinute: 8))

    fileprivate static let gesticulates = Deed(
        "gestures", seconds: 80, WalkPlan(script: [WalkSegment(.stand, seconds: 1_000)], gesturesPerMinute: 20))

    fileprivate static let tenSteps = Deed(
        "ten steps six times", seconds: 90,
        WalkPlan(
            script: (0..<6).flatMap { _ in
                [WalkSegment(.stand, seconds: 7), WalkSegment(.walk(stepsPerMinute: 104), seconds: 5.8)]
            } + [WalkSegment(.stand, seconds: 1_000)], gesturesPerMinute: 0))

    fileprivate static let halfAndTwice = Deed(
        "a walk, a run and a walk", seconds: 115,
        WalkPlan(
            script: [WalkActivity.walk(stepsPerMinute: 82), .run(stepsPerMinute: 164), .walk(stepsPerMinute: 82)]
                .flatMap { [WalkSegment(.stand, seconds: 5), WalkSegment($0, seconds: 30)] }
                + [WalkSegment(.stand, seconds: 1_000)], gesturesPerMinute: 0))
}
