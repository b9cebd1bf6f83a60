#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The odds that footfalls which follow one another are steps: logarithms of how much likelier each sign is of a walk
/// than of gestures or a road, added up. No sign is asked for alone, so that what is a little uneven may be all the
/// surer otherwise.
///
/// The signs are those of Gu et al. 2017 (number, a rhythm and like heights) and those of a body that lands. Each is
/// bounded: one step out of time does not undo a walk, and no gesture becomes one by being even. The values are by
/// walks at wrists, in hands, pockets and bags cut into bouts of 3 to 15 steps, at 12.5 to 100 Hz, and by gestures,
/// exercises and rides.
struct FootfallOdds {
    let placement: Placement
    /// The time from one sample to the next, s.
    let sampleSeconds: Float
    /// The step rate of the last walk, a second; 0 where none was of late.
    let recentRate: Float

    /// What steps that were counted just before add.
    static let continued: Float = 3.5
    /// The most that an even rhythm of like heights says: gestures may be repeated, too.
    static let mostRhythm: Float = 5
    /// The height of footfalls, m/s², over the square of their rate where a body rises by 6 cm: 0.03·(2π)², of which
    /// the mean over 0.28 s leaves two thirds at a usual pace.
    private static let highestRise: Float = 0.8

    private var isTrunk: Bool { placement.isTrunk }

    /// What they are before any sign was seen: a hand has gestures of its own, and more of them where its bearer sits, who
    /// has not walked of late; a pocket is jolted on a bike, a bag is moved about; and what nobody described may be a
    /// parcel.
    var before: Float {
        switch placement {
        case .hip, .back: -1.2
        case .wrist, .hand: recentRate > 0 ? -6.8 : -8.3
        case .unknown: -9.5
        default: -5.6
        }
    }

    /// So many footfalls are asked for: more of a hand, which has gestures, until its bearer has walked.
    var leastCount: Int {
        placement.mayTurn && recentRate == 0 ? FootfallThresholds.leastFirstArmCount : FootfallThresholds.leastCount
    }

    /// Whether someone walked as fast a short while ago, who stands and walks on.
    func ofRecall(_ interval: Float) -> Float {
        abs(interval * recentRate - 1) < 0.2 ? 1.6 : 0
    }

    /// How far an interval is from the mean one, as a share of that. Limbs have rhythms of their own, and so have to be
    /// more even than a trunk; of few samples a footfall's time is known less.
    func ofEvenness(_ deviation: Float, interval: Float) -> Float {
        let usual: Float = isTrunk ? 0.18 : 0.1
        let blur = 0.4 * sampleSeconds / interval
        return max(1.3 - deviation * deviation / (2 * (usual * usual + blur * blur)), isTrunk ? -1.5 : -2)
    }

    /// A height over the mean one.
    func ofLikeness(_ ratio: Float) -> Float {
        let deviation = log(max(ratio, 0.05))
        return max(0.9 - deviation * deviation / (2 * 0.35 * 0.35), -1.2)
    }

    /// The mean interval, s: most people walk at 105 steps a minute, and nobody far from it.
    func ofPace(_ interval: Float) -> Float {
        let deviation = log(interval / 0.57)
        let odds = max(1 - 8 * deviation * deviation, -4)
        return placement.mayTurn ? odds : 0.5 * odds
    }

    /// The height of the footfalls, m/s², over the square of their rate: a body rises by centimetres in a step; and
    /// over its fourth power, because it rises with the square of the step's length: an arm that works slowly goes much
    /// farther.
    func ofRise(_ height: Float, interval: Float) -> Float {
        let square = interval * interval
        return -min(max(3 * log(height * square * square / 0.5), 2 * log(0.13 / (height * square)), 0), 5)
    }

    /// The share of |a| in the movement: turning the wrist moves, and does not change it; and a walker's body is moved
    /// forward and to the sides as well, that on a seat's springs up and down alone.
    func ofShare(_ share: Float) -> Float {
        let springs = min(max(70 * (share - (isTrunk ? 0.86 : 0.89)), 0), 6)
        if placement.mayTurn { return min(max(10 * (share - 0.55), -2), 1.5) - springs }
        return min(max(6 * (share - 0.45), -1.5), 0.5) - springs
    }

    /// How similar |a| is to itself in the rhythm of the footfalls.
    func ofSimilarity(_ similarity: Float) -> Float {
        let odds = min(max(6 * (similarity - (placement.mayTurn ? 0.2 : 0.3)), -1.5), 1.2)
        return isTrunk ? 0.5 * odds : odds
    }

    /// The roughness of |a|: a gesture is as smooth as a sine, and a road rougher than feet. The higher footfalls,
    /// m/s², are above what the rise of a body by 6 cm makes of them, the more must be heard of feet beside an arm that
    /// swings.
    func ofRoughness(_ sampled: Float, height: Float, interval: Float) -> Float {
        // 4·sin²(π·Δt/interval), to the second order.
        let angle = 2 * Float.pi * Tick.seconds / interval
        let sine = angle * angle
        let roughness = restored(sampled, sine: sine)
        let wideness = placement.mayTurn ? max(height * interval * interval / Self.highestRise, 1) : 1
        let smooth = min(max(4 * log(roughness / (1.15 * wideness * sine)), -3), 1)
        let most: Float = placement.mayTurn ? 0.9 : 1.45
        return smooth - min(max(8 * log(roughness / most), 0), 6)
    }

    /// The roughness that would be heard at 25 Hz: what is more than a sine's are jolts, of whose energy slow sampling
    /// leaves less, and quick sampling more: exp(−(π·f·T)²), for a mean over the time T from one sample to the next and
    /// a line through both, with f = 4 Hz where the jolts of pockets and wrists are.
    private func restored(_ sampled: Float, sine: Float) -> Float {
        let seconds = min(sampleSeconds, 0.1)
        let loss = .pi * .pi * 16 * (seconds * seconds - Tick.seconds * Tick.seconds)
        return max(sine + (sampled - sine) * exp(loss), 0.5 * sampled)
    }
}
