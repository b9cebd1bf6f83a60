import Counter
import Motion
@testable import Bodies
import Lab
import Testing
import enum Wire.SensorPlacement

/// What is counted of simulated bodies that do the same thing with the same sensor, one for each seed.
struct CountedFact: Sendable, CustomTestStringConvertible {
    private let fact: String
    private let deeds: [Deed]
    private let places: [SimulatedPlacement]
    /// What the counter is told of the sensor; as it is worn where nothing is given.
    private let told: [MotionConfiguration]
    private let sensors: [SensorSet]
    private let ratesHz: [Double]
    private let rangeGravities: Double
    private let seeds: Range<UInt64>
    private let steps: [Bound]
    private let revolutions: [Bound]

    init(
        _ fact: String, _ deeds: [Deed], _ places: [SimulatedPlacement], told: [MotionConfiguration] = [],
        sensors: [SensorSet] = [.acceleration], ratesHz: [Double] = [50], rangeGravities: Double = 8,
        seeds: Range<UInt64>, steps: [Bound] = [], revolutions: [Bound] = []
    ) {
        (self.fact, self.deeds, self.places, self.told, self.sensors) = (fact, deeds, places, told, sensors)
        (self.ratesHz, self.rangeGravities, self.seeds) = (ratesHz, rangeGravities, seeds)
        (self.steps, self.revolutions) = (steps, revolutions)
    }

    var testDescription: String { fact }

    /// Tries each deed with each sensor in each place.
    func check() throws {
        for deed in deeds {
            for place in places {
                for sensors in sensors {
                    for rateHz in ratesHz { try check(deed, place, sensors, rateHz) }
                }
            }
        }
    }

    private func check(_ deed: Deed, _ place: SimulatedPlacement, _ sensors: SensorSet, _ rateHz: Double) throws {
        let signals = try seeds.map {
            try SimulatedSignal(
                deed, place, sensors: sensors, rateHz: rateHz, rangeGravities: rangeGravities, seed: $0)
        }
        for configuration in told.isEmpty ? [.worn(place)] : told {
            let runs = signals.map { PipelineRun($0.samples, configuration) }
            let what = "\(deed), \(place), \(sensors.rawValue), \(rateHz) Hz, \(configuration.placement)"
            for bound in steps {
                bound.check(runs.map(\.steps), of: signals.map(\.steps), in: deed, "\(what): steps")
            }
            for bound in revolutions {
                bound.check(runs.map(\.revolutions), of: signals.map(\.revolutions), in: deed, "\(what): turns")
            }
        }
    }
}

/// How much may be counted of what bodies did.
enum Bound: Sendable {
    /// In each signal so many more or fewer, but for some signals.
    case within(Int, besides: Int = 0)
    /// In each signal so many at most, but for some signals.
    case most(Int, besides: Int = 0)
    /// In each signal such a share of the truth.
    case each(ClosedRange<Double>)
    /// In all signals together such a share of the truth.
    case together(ClosedRange<Double>)
    /// Too many and too few together at most such a share: those in one signal make up for none in another.
    case wrong(Double)
    /// In a minute of all signals together so many at most.
    case aMinute(Double)

    func check(_ counted: [Int], of made: [Int], in deed: Deed, _ what: String) {
        let all = (counted: Double(counted.reduce(0, +)), made: Double(made.reduce(0, +)))
        let differences = zip(counted, made).map { abs($0 - $1) }
        let holds =
            switch self {
            case .within(let most, let besides): differences.count { $0 > most } <= besides
            case .most(let most, let besides): counted.count { $0 > most } <= besides
            case .each(let shares): zip(counted, made).allSatisfy { shares.contains(Double($0) / Double(max($1, 1))) }
            case .together(let shares): shares.contains(all.counted / max(all.made, 1))
            case .wrong(let share): Double(differences.reduce(0, +)) <= share * all.made
            case .aMinute(let most): all.counted <= most * deed.seconds / 60 * Double(counted.count)
            }
        #expect(holds, "\(what): \(counted) of \(made), allowed \(self)")
    }
}

/// What a simulated body does.
struct Deed: Sendable, CustomStringConvertible {
    let description: String
    let seconds: Double
    /// The device whose sensor is there.
    let name: String
    let actor: @Sendable (SimulatedPlacement) -> SimulatedActor

    init(
        _ description: String, seconds: Double, named name: String = "bike-1",
        actor: @escaping @Sendable (SimulatedPlacement) -> SimulatedActor
    ) {
        (self.description, self.seconds, self.name, self.actor) = (description, seconds, name, actor)
    }

    /// Walks as planned.
    init(_ description: String, seconds: Double, named name: String = "walker-1", _ plan: WalkPlan) {
        self.init(description, seconds: seconds, named: name) { .walker(plan, $0) }
    }

    /// Rides by a script; what senses is worn, or on such a bike's frame.
    init(_ description: String, seconds: Double, _ script: [RideSegment], wanderRPM: Double, on mount: BikeMount) {
        let plan = RidePlan(script: script + [RideSegment(.rest, seconds: 1_000)], wanderRPM: wanderRPM)
        self.init(description, seconds: seconds) {
            $0 == .frame ? .frameRider(plan, mount) : .wearingRider(plan, $0)
        }
    }

    /// Stands, goes for a minute and stands.
    static func goes(_ activity: WalkActivity, _ change: (inout WalkPlan) -> Void = { _ in }) -> Deed {
        let script = [
            WalkSegment(.stand, seconds: 8), WalkSegment(activity, seconds: 60), WalkSegment(.stand, seconds: 1_000),
        ]
        var plan = WalkPlan(script: script, gesturesPerMinute: 0)
        change(&plan)
        return Deed("\(activity)", seconds: 80, plan)
    }

    static func walk(_ stepsPerMinute: Double) -> Deed { goes(.walk(stepsPerMinute: stepsPerMinute)) }
    static func run(_ stepsPerMinute: Double) -> Deed { goes(.run(stepsPerMinute: stepsPerMinute)) }

    /// Walks with a limp, and no two strides quite alike.
    static func limp(_ stepsPerMinute: Double) -> Deed {
        goes(.walk(stepsPerMinute: stepsPerMinute)) {
            $0.stepVariability = 0.04
            $0.limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        }
    }

    /// Works for two minutes with the hand whose wrist wears the sensor.
    static func works(_ work: HandWork) -> Deed {
        Deed("\(work)", seconds: 120, named: "worker-1") { _ in .worker(work) }
    }

    /// Rests for a moment and pedals.
    static func pedal(_ rpm: Double, on mount: BikeMount = BikeMount()) -> Deed {
        let script = [RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: 1_000)]
        return Deed("\(rpm) rpm", seconds: 60, script, wanderRPM: 1.5, on: mount)
    }
}

extension MotionConfiguration {
    /// What is told of a sensor in a place.
    static func worn(_ place: SimulatedPlacement) -> MotionConfiguration {
        MotionConfiguration(kind: place == .frame ? .bike : .wearable, placement: PlacementGroup(place.sensor))
    }

    /// What is told of a sensor that a person wears.
    static func worn(_ placement: SensorPlacement) -> MotionConfiguration {
        MotionConfiguration(kind: .wearable, placement: PlacementGroup(placement))
    }

    /// Nothing is told.
    static let nothing = MotionConfiguration()
    /// Somebody wears it, and nobody says where.
    static let somewhere = MotionConfiguration(kind: .wearable, placement: .unknown)
}
