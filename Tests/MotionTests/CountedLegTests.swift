@testable import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// Legs below the knee, and those that ride.
@Suite("Legs and riders, counted")
struct CountedLegTests {
    @Test("Shanks of who walks make steps", arguments: shanks)
    func walks(fact: CountedFact) throws { try fact.check() }

    @Test("Who pedals makes revolutions and no steps", arguments: riders)
    func rides(fact: CountedFact) throws { try fact.check() }

    private static let shanks = [
        CountedFact(
            "A shank that walks, runs or climbs makes two steps a stride with a gyroscope", all, [.ankle],
            sensors: [.sixAxes], seeds: Sweep.seeds(620..<623), steps: [.within(4)], revolutions: [.most(0)]),
        CountedFact(
            "Without one the first strides on stairs and the last are lost", all, [.ankle],
            seeds: Sweep.seeds(620..<623), steps: [.within(15)], revolutions: [.most(0)]),
        CountedFact(
            "Who limps sets one foot down softly, and both are counted, at any sample rate", [.limp(80)], [.ankle],
            ratesHz: [12.5, 25, 50], seeds: Sweep.seeds(630..<634), steps: [.within(6)], revolutions: [.most(0)]),
        CountedFact(
            "Who drags a foot is counted on a leg", [.drags(80), .drags(90)], [.pocket, .thigh, .ankle],
            ratesHz: [12.5, 25, 50], seeds: 1..<4, steps: [.each(0.8...1.04)]),
        CountedFact(
            "An accelerometer that saturates at 2 g counts walkers and runners", [.walk(115), .run(170)],
            [.ankle, .wrist], ratesHz: [25, 50], rangeGravities: 2, seeds: Sweep.seeds(640..<643), steps: [.within(5)],
            revolutions: [.most(0)]),
        CountedFact(
            "Who has walked and now stands and swings the leg makes no slow steps", [.swings], [.ankle],
            seeds: Sweep.seeds(650..<653), steps: [.within(6)]),
    ]

    private static let all: [Deed] = [
        .walk(60), .walk(90), .walk(110), .run(165), .goes(.climb(stepsPerMinute: 90, stairMetres: 0.17)),
        .goes(.climb(stepsPerMinute: 100, stairMetres: -0.17)),
    ]

    private static let riders = [
        CountedFact(
            "Of two dozen riders one at most is taken for a walker, however the saddle shakes a leg",
            [.pedal(60), .pedal(75), .pedal(90), .pedal(110), .pedal(130)], [.thigh, .ankle], sensors: [.sixAxes],
            seeds: Sweep.seeds(100..<124), steps: [.most(4, besides: 1)], revolutions: [.within(5, besides: 1)]),
        CountedFact(
            "Slow turns of a machine that shakes more than they move a shank are no walk, but for one of two dozen",
            [.pedal(30), .pedal(45)], [.ankle], seeds: Sweep.seeds(100..<124), steps: [.most(4, besides: 1)],
            revolutions: [.within(4, besides: 1)]),
        CountedFact(
            "A few turns of a crank are no strides", [.fewTurns(40), .fewTurns(65)], [.ankle], ratesHz: [25],
            seeds: 670..<673, steps: [.most(0)]),
        CountedFact(
            "A gyroscope alone on a thigh tells a ride from a walk",
            [.pedal(45), .pedal(60), .pedal(75), .pedal(90), .pedal(105)], [.thigh], sensors: [.angularVelocity],
            seeds: Sweep.seeds(720..<723), steps: [.most(15)], revolutions: [.each(0.8...1.2)]),
        CountedFact(
            "A quick ride with a phone in the pocket is no run, at any sample rate", [.pedal(90), .pedal(105)],
            [.pocket], sensors: [.sixAxes], ratesHz: [12.5, 25, 50], seeds: 430..<442, steps: [.aMinute(3.3)],
            revolutions: [.together(0.96...1.04)]),
        CountedFact(
            "A phone in a rider's pocket makes revolutions, and a few steps at most before it is known where it is",
            [.pedal(50), .pedal(65)], [.pocket], sensors: [.sixAxes], seeds: 410..<413, steps: [.most(4)],
            revolutions: [.together(0.95...1.05)]),
        CountedFact(
            "An accelerometer alone is sure of it later", [.pedal(50), .pedal(65)], [.pocket], seeds: 410..<413,
            steps: [.most(16)], revolutions: [.together(0.9...1.05)]),
        CountedFact(
            "A rhythm that was pedalled makes no steps when the hand on the handlebar is moved", [.pedal(80)], [.wrist],
            sensors: [.sixAxes], seeds: 700..<708, steps: [.aMinute(1.5)]),
        CountedFact(
            "A sensor on a bike's frame of which nothing is told makes revolutions and no steps",
            [.pedal(62, on: .ordinary), .pedal(80, on: .ordinary), .pedal(98, on: .ordinary)], [.frame],
            told: [.nothing], sensors: [.sixAxes, .acceleration], seeds: Sweep.seeds(70..<74), steps: [.most(2)],
            revolutions: [.within(4)]),
        CountedFact(
            "Where both feet push alike, steps of cadence and short rests cost no more than a hundredth", [.intervals],
            [.frame], sensors: [.sixAxes], seeds: 3..<9, revolutions: [.within(2)]),
        CountedFact(
            "Who pedals on a floor that rings is counted, from the first turn on",
            [.onRinging(1.2), .onRinging(2.2), .onRinging(3)], [.frame], sensors: [.sixAxes], seeds: 5..<6,
            revolutions: [.within(6)]),
    ]
}

extension BikeMount {
    /// A frame that is felt well, and most at twice the crank's rate.
    static let ordinary = BikeMount(signalRMS: 0.5, secondToFirstRatio: 1.6, signalToNoise: 5, touchesPerMinute: 0)
}

extension Deed {
    fileprivate static func drags(_ stepsPerMinute: Double) -> Deed {
        goes(.walk(stepsPerMinute: stepsPerMinute)) {
            $0.limp = Limp(shortStepShare: 1.0 / 3, weakFootStrength: 0.3)
        }
    }

    fileprivate static let swings = Deed(
        "walks, stands and swings a leg", seconds: 100,
        WalkPlan(
            script: [WalkSegment(.walk(stepsPerMinute: 55), seconds: 40), WalkSegment(.stand, seconds: 1_000)],
            gesturesPerMinute: 30))

    fileprivate static func fewTurns(_ rpm: Double) -> Deed {
        let script = (0..<40).flatMap { index in
            [
                RideSegment(.rest, seconds: 4),
                RideSegment(.pedal(rpm: rpm + Double(index % 5)), seconds: 2 + Double(index % 4)),
            ]
        }
        return Deed("a few turns at \(rpm)", seconds: 80, script, wanderRPM: 1.5, on: BikeMount())
    }

    fileprivate static let intervals = Deed(
        "intervals", seconds: 110,
        [
            RideSegment(.pedal(rpm: 60), seconds: 30), RideSegment(.pedal(rpm: 100), seconds: 25),
            RideSegment(.rest, seconds: 6), RideSegment(.pedal(rpm: 75), seconds: 40),
        ], wanderRPM: 2.5, on: BikeMount(secondToFirstRatio: 10, signalToNoise: 1))

    fileprivate static func onRinging(_ frequencyHz: Double) -> Deed {
        let floor = FloorResonance(frequencyHz: frequencyHz, quality: 3, rms: 0.04)
        return Deed(
            "on a floor that rings at \(frequencyHz) Hz", seconds: 240,
            [RideSegment(.rest, seconds: 60), RideSegment(.pedal(rpm: 85), seconds: 120)], wanderRPM: 2.5,
            on: BikeMount(signalRMS: 0.4, touchesPerMinute: 0, floor: floor))
    }
}
