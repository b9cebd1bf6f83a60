package import Lab

/// An activity of a walker.
package enum WalkActivity: Sendable, Hashable {
    /// Stands, swaying a little.
    case stand
    case walk(stepsPerMinute: Double)
    case run(stepsPerMinute: Double)
    /// Goes up stairs at a cadence in steps a minute, a stair a step; down where the stairs' height is negative.
    case climb(stepsPerMinute: Double, stairMetres: Double)
    /// Stands in a lift that goes up at a speed in m/s; down where it is negative.
    case ride(metresPerSecond: Double)

    /// The cadence aimed at, in steps a minute; 0 when standing.
    package var stepsPerMinute: Double {
        switch self {
        case .stand, .ride: 0
        case .walk(let stepsPerMinute), .run(let stepsPerMinute), .climb(let stepsPerMinute, _): stepsPerMinute
        }
    }

    /// True if there are steps.
    package var isOnFoot: Bool {
        switch self {
        case .stand, .ride: false
        case .walk, .run, .climb: true
        }
    }

    /// True if both feet leave the ground.
    package var isRunning: Bool {
        if case .run = self { true } else { false }
    }
}

/// A walker's activities, one stretch after another: a script, and then habits for ever. The defaults are an ordinary
/// day's mix.
package struct WalkPlan: Sendable, Hashable {
    /// The first stretches, in order.
    package var script: [WalkSegment] = []
    /// The cadences of walking, in steps a minute.
    package var walkingRange = 85.0...130
    /// The duration of a bout of walking or running, in seconds.
    package var boutSeconds = 8.0...90
    /// The time for which the walker stands between bouts, in seconds.
    package var standSeconds = 3.0...30
    /// The probability that a bout is run, `0...1`.
    package var runProbability = 0.15
    /// Standard deviation of a step's duration from one step to the next, as a fraction.
    ///
    /// J. M. Hausdorff, L. Zemany, C.-K. Peng, A. L. Goldberger, "Maturation of gait dynamics", J. Appl. Physiol. 86
    /// (1999) 1040: the stride time of healthy young adults varies by 1.3 %; a step's, half a stride, by about √2 more.
    package var stepVariability = 0.02
    /// Slow drift of the cadence within a bout: standard deviation as a fraction.
    package var cadenceWander = 0.02
    /// Movements of a standing walker's arm or leg that carries the sensor, a minute.
    package var gesturesPerMinute = 8.0
    /// The difference of left and right.
    package var limp = Limp.none
    /// The swing of an arm, relative to the usual one: little where the hand carries something or is in a pocket.
    package var armSwing = 1.0
    /// The support of the hands; only a wrist feels it.
    package var handle: Handle?

    /// The cadences of running, in steps a minute.
    private static let runningRange = 150.0...185

    /// The probability of a gesture in a physics step.
    package var gestureChance: Double { gesturesPerMinute / 60 * PhysicsStep.seconds }

    /// True if the walker stops at the end of a stretch on foot, which `index` stretches are begun with.
    package func isStop(_ index: Int) -> Bool {
        !script.indices.contains(index) || !script[index].activity.isOnFoot
    }

    /// The stretch after `index` others, the last of which was `previous`.
    package func segment(_ index: Int, after previous: WalkActivity, random: inout RandomSource) -> WalkSegment {
        if script.indices.contains(index) { return script[index] }
        if previous != .stand { return WalkSegment(.stand, seconds: random.uniform(in: standSeconds)) }
        let seconds = random.uniform(in: boutSeconds)
        if random.chance(runProbability) {
            return WalkSegment(.run(stepsPerMinute: random.uniform(in: Self.runningRange)), seconds: seconds)
        }
        return WalkSegment(.walk(stepsPerMinute: random.uniform(in: walkingRange)), seconds: seconds)
    }
}

extension WalkPlan {
    /// An ordinary day's mix, changed.
    package init(_ change: (inout WalkPlan) -> Void = { _ in }) {
        self.init(script: [])
        change(&self)
    }

    /// The height and the depth of an ordinary stair, in metres.
    package static let stairMetres = 0.17
    package static let treadMetres = 0.29

    /// Stairs, `seconds` long, and a landing.
    package static func flight(stepsPerMinute: Double, stairMetres: Double, seconds: Double) -> [WalkSegment] {
        [
            WalkSegment(.climb(stepsPerMinute: stepsPerMinute, stairMetres: stairMetres), seconds: seconds),
            WalkSegment(.walk(stepsPerMinute: stepsPerMinute), seconds: landingSeconds),
        ]
    }

    package static let landingSeconds = 2.0

    /// A script through a building: walks, goes up `storeys` on foot and down again, and rides the lift as high.
    ///
    /// A storey of three metres is two flights with a landing of two seconds between them. At the end the walker stands
    /// for good.
    package static func building(storeys: Int) -> WalkPlan {
        let (storeyMetres, stepsPerMinute) = (3.0, 100.0)
        let (stand, walk) = (WalkSegment(.stand, seconds: 4), WalkSegment(.walk(stepsPerMinute: 110), seconds: 30))
        let flightSeconds = storeyMetres / 2 / stairMetres * 60 / stepsPerMinute
        var script = [WalkSegment(.stand, seconds: 5), walk]
        for stair in [stairMetres, -stairMetres] {
            for _ in 0..<max(2 * storeys, 0) {
                script += flight(stepsPerMinute: stepsPerMinute, stairMetres: stair, seconds: flightSeconds)
            }
            script.append(walk)
        }
        for speed in [1.0, -1.0] {
            let lift = WalkSegment(.ride(metresPerSecond: speed), seconds: storeyMetres * Double(storeys))
            script += [stand, lift, stand, walk]
        }
        return WalkPlan(script: script + [WalkSegment(.stand, seconds: 1e9)], gesturesPerMinute: 0)
    }
}

/// The difference of a walker's left and right steps.
///
/// Of people who walk again after a stroke, half step unevenly, at ratios of the two sides' times from 1.1 to above 2
/// (K. K. Patterson et al., "Gait asymmetry in community-ambulating stroke survivors", Arch. Phys. Med. Rehabil. 89
/// (2008) 304), and set the weak foot down with less force (C. M. Kim, J. J. Eng, "Symmetry in vertical ground reaction
/// force is accompanied by symmetry in temporal but not distance variables of gait in persons with stroke", Gait
/// Posture 18 (2003) 23).
package struct Limp: Sendable, Hashable {
    /// The share of a stride that the shorter of its two steps takes, `0.25 ... 0.5`.
    package let shortStepShare: Double
    /// The strength of the contact of the weak foot, which ends the longer step, relative to the other, `0 ... 1`.
    package let weakFootStrength: Double

    /// Even steps.
    package static let none = Limp(shortStepShare: 0.5, weakFootStrength: 1)

    /// A limp from its parts, which are brought into their ranges.
    package init(shortStepShare: Double, weakFootStrength: Double) {
        self.shortStepShare = min(max(shortStepShare, 0.25), 0.5)
        self.weakFootStrength = min(max(weakFootStrength, 0), 1)
    }

    /// By how much of an even step's time a step is longer or shorter.
    package func lengthening(isWeak: Bool) -> Double {
        (isWeak ? 1 : -1) * (1 - 2 * shortStepShare)
    }

    /// The factor of a step's push and contact.
    package func strength(isWeak: Bool) -> Double {
        isWeak ? weakFootStrength : 1
    }
}

/// A handle that a walker's hands lie on, with the sensor on the wrist.
package enum Handle: Sendable, Hashable, CaseIterable {
    /// That of a pram or a trolley, which rolls before the walker.
    case cart
    /// The rail of a treadmill, which stands still but for the jolts of its deck.
    case rail
}
