#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Footfalls one after the other that are not counted yet: a few steps across a room are over before their period is
/// sure.
///
/// They wait here until they are a bout of their own, or until the periodic counter takes them over. What makes
/// footfalls a bout are their number, a rhythm and like heights, as in Gu et al., "Robust Step Counting using
/// Smartphone Inertial Sensors" (IEEE Trans. Human-Machine Syst. 2017), who call them continuity, periodicity and
/// similarity; all are weighed together (``FootfallOdds``), of each run of footfalls, so that what a body does before
/// and after a walk does not spoil it.
struct FootfallTrain {
    static let capacity = 16

    private var times = [Int64](repeating: 0, count: capacity)
    private var heights = [Float](repeating: 0, count: capacity)
    private var roughnesses = [Float](repeating: 0, count: capacity)
    private var shares = [Float](repeating: 0, count: capacity)
    private(set) var count = 0
    /// Whether the footfalls before the first kept one were counted as this bout's.
    private(set) var isContinued = false

    /// How similar |a| is to itself one or two of the footfalls' intervals before.
    private var similarity: Float = 0
    /// Whether the movement was one of strokes since this began.
    private var isOfStrokes = false
    /// The mean time from one sample to the next, s.
    private var sampleSeconds: Float = 0

    var isFull: Bool { count == Self.capacity }

    /// The time of the last footfall, µs; 0 without one.
    var lastTime: Int64 { count > 0 ? times[count - 1] : 0 }

    /// Adds a footfall: its height, m/s², the roughness of |a| about it, and the share of |a| in the movement.
    mutating func add(time: Int64, height: Float, roughness: Float, share: Float, sampleSeconds: Float) {
        guard count < Self.capacity else { return }
        times[count] = time
        heights[count] = height
        roughnesses[count] = roughness
        shares[count] = share
        self.sampleSeconds = sampleSeconds
        count += 1
    }

    /// The mean time from one to the next, µs.
    private var interval: Float {
        Float(times[max(count - 1, 0)] - times[0]) / Float(max(count - 1, 1))
    }

    /// Asks how well |a| repeats itself in the rhythm of the footfalls: those of a walk do, also where it is short.
    mutating func weigh(_ normCurve: LagCurve, isOfStrokes: Bool) {
        guard count > 1 else { return }
        self.isOfStrokes = self.isOfStrokes || isOfStrokes
        let lag = interval / Float(Tick.microseconds)
        similarity = max(
            normCurve.highestPeak(near: lag)?.height ?? 0, normCurve.highestPeak(near: 2 * lag)?.height ?? 0)
    }

    /// Those of these footfalls that follow one another and are steps, or nil: of all runs that are likely the one in
    /// which each footfall fits. Only those before a time are asked, where what came later has another rhythm.
    func bout(_ placement: Placement, recentRate: Float, before end: Int64 = .max) -> Range<Int>? {
        let odds = FootfallOdds(placement: placement, sampleSeconds: sampleSeconds, recentRate: recentRate)
        if placement.mayTurn, isOfStrokes { return nil }
        let asked = times[0..<count].prefix { $0 < end }.count
        let likeness = odds.ofSimilarity(asked < count ? 0 : similarity)
        var (best, highest) = (0..<0, -Float.infinity)
        for first in 0..<asked {
            let isContinued = first == 0 && isContinued
            let least = isContinued ? 2 : odds.leastCount
            guard first + least <= asked else { break }
            for last in (first + least)...asked {
                let (felt, excess) = self.odds(of: first..<last, isContinued: isContinued, odds)
                let sum = felt + likeness
                if sum > 0, sum + excess > highest { (best, highest) = (first..<last, sum + excess) }
            }
        }
        return best.isEmpty ? nil : extended(best, first: placement.mayTurn ? 1 : FootfallThresholds.mostSoftSteps)
    }

    /// The logarithm of the odds that some footfalls are a walk's, and how much more their rhythm would add if it were
    /// not bounded.
    private func odds(
        of run: Range<Int>, isContinued: Bool, _ odds: FootfallOdds
    ) -> (sum: Float, excess: Float) {
        let number = Float(run.count)
        let interval = Float(times[run.upperBound - 1] - times[run.lowerBound]) * 1e-6 / (number - 1)
        guard interval < odds.placement.longestFootfallInterval else { return (-.infinity, 0) }
        let height = heights[run].reduce(0, +) / number
        var (evenness, likeness, sideLikeness) = (Float(0), Float(0), Float(0))
        for index in run {
            likeness += odds.ofLikeness(heights[index] / height)
            sideLikeness += odds.ofLikeness(heights[index] / meanHeight(in: run, side: index))
            guard index > run.lowerBound else { continue }
            let deviation = abs(Float(times[index] - times[index - 1]) * 1e-6 / interval - 1)
            evenness += odds.ofEvenness(deviation, interval: interval)
        }
        // A mean was taken from each, and two where left and right are compared apart.
        let alike = max(likeness * (number - 1), sideLikeness * (number - 2)) / number
        let rhythm = evenness * (number - 2) / (number - 1) + alike
        let known =
            min(rhythm, FootfallOdds.mostRhythm) + odds.ofPace(interval) + odds.ofRecall(interval)
        let felt =
            odds.ofRise(height, interval: interval) + odds.ofShare(shares[run].reduce(0, +) / number)
            + odds.ofRoughness(roughnesses[run].reduce(0, +) / number, height: height, interval: interval)
        let before = odds.before + (isContinued ? FootfallOdds.continued : 0)
        return (before + known + felt, max(rhythm - FootfallOdds.mostRhythm, 0))
    }

    /// The mean height of every other footfall of a run: those of one foot, which an arm or a limp makes unlike the
    /// other's.
    private func meanHeight(in run: Range<Int>, side: Int) -> Float {
        var (sum, number) = (Float(0), Float(0))
        for index in run where (index - side) & 1 == 0 {
            sum += heights[index]
            number += 1
        }
        return sum / number
    }

    /// The same with so many first steps at most and the last one, which are slower and softer.
    private func extended(_ run: Range<Int>, first most: Int) -> Range<Int> {
        let interval = Float(times[run.upperBound - 1] - times[run.lowerBound]) / Float(run.count - 1)
        let height = heights[run].reduce(0, +) / Float(run.count)
        func isEdge(_ index: Int, of other: Int) -> Bool {
            guard heights.indices.contains(index), index < count else { return false }
            return FootfallThresholds.edgeGaps.contains(Float(abs(times[other] - times[index])) / interval)
                && FootfallThresholds.edgeHeights.contains(heights[index] / height)
        }
        var first = run.lowerBound
        while run.lowerBound - first < most, isEdge(first - 1, of: first) { first -= 1 }
        return first..<(run.upperBound + (isEdge(run.upperBound, of: run.upperBound - 1) ? 1 : 0))
    }

    /// Says those of a run that were before a time as steps, and forgets them and what was before them. The time until
    /// which they are counted; 0 without any.
    mutating func count(_ run: Range<Int>, until end: Int64, into events: inout MotionEvents) -> Int64 {
        var last: Int64 = 0
        var next = run.lowerBound
        while next < run.upperBound, times[next] < end {
            last = times[next]
            events.append(.steps(count: 1, timeMicroseconds: last))
            next += 1
        }
        guard next > run.lowerBound else { return 0 }
        drop(first: next)
        isContinued = true
        return last
    }

    /// Forgets the footfalls until a time: they are counted otherwise.
    mutating func drop(until time: Int64) {
        var passed = 0
        while passed < count, times[passed] <= time { passed += 1 }
        drop(first: passed)
        isContinued = passed > 0 || isContinued
    }

    mutating func drop(first dropped: Int) {
        guard dropped > 0 else { return }
        let kept = max(count - dropped, 0)
        times.moveDown(by: dropped, count: kept)
        heights.moveDown(by: dropped, count: kept)
        roughnesses.moveDown(by: dropped, count: kept)
        shares.moveDown(by: dropped, count: kept)
        count = kept
    }

    mutating func clear() {
        count = 0
        isContinued = false
        similarity = 0
        isOfStrokes = false
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity {
            coder.code(time: &times[index])
            coder.code(&heights[index])
            coder.code(&roughnesses[index])
            coder.code(&shares[index])
        }
        coder.code(&count, in: 0...Self.capacity)
        coder.code(&isContinued)
        coder.code(&similarity)
        coder.code(&isOfStrokes)
        coder.code(&sampleSeconds)
    }
}

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
