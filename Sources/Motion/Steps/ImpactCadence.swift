/// Steps found by the feet that land, not by the movement between.
///
/// A body that takes a step in two seconds hardly rises, and a limb swings so slowly that gravity's turning hides all
/// else; but the jolts of the feet come as evenly as in any walk. Where a trunk, a bag or a phone that is read feels
/// them, they tell of quicker steps, too, however uneven: jolts that last a twentieth of a second are never like one
/// another in time, but their trace is. Where an arm may be they are asked only while little else moves, as hands knock as
/// evenly at work.
struct ImpactCadence {
    /// The trace of what the feet do.
    var impacts = ImpactAutocorrelation()
    /// Steps a second; 0 where no rhythm is found.
    private(set) var rate: Float = 0
    private(set) var strength: Float = 0
    /// How many steps there are from one heard impact to the next: who hears one foot alone hears every other.
    private var stepsAPeriod: Float = 1
    /// Whether jolts told of it that only feet make.
    private var isOfFeet = false
    /// The least change of |a| that is a foot of this walk, m/s².
    private var least: Float = 0
    private var agreeing = 0
    private var misses = 0
    private var evaluations = 0

    /// One foot after the other, 1.12…2.4 s; or the same foot again, to 4.6 s; and either where feet are heard.
    private static let stepLags = 7...15
    private static let strideLags = 14...29
    private static let heardLags = 4...29
    private static let comparedLags = 2...29
    /// Steps a second of an ordinary slow walk, at which jolts are asked for.
    private static let usualRate: Float = 1.2
    /// Where in a stride the other foot may be heard, and how far it rises at least, as a share of how far the same foot
    /// does.
    private static let otherFoot: ClosedRange<Float> = 0.25...0.75
    private static let otherFootRise: Float = 0.3
    /// Up to which part of a step a quicker rhythm would show, and how high.
    private static let quickPart: Float = 0.75
    private static let quickShare: Float = 0.3
    private static let peakShare: Float = 0.7
    /// How high the trace after half a stride of one foot is, as a share of that after a stride, at most.
    private static let twiceShare: Float = 0.6
    /// The least similarity that begins and that goes on.
    private static let openingStrength: Float = 0.45
    private static let closingStrength: Float = 0.3
    /// What the similarity falls to between two impacts: what only grows or fades is like itself all the time; and what
    /// it falls to between feet, whatever shakes.
    private static let pauseSimilarity: Float = 0
    private static let heardPauseSimilarity: Float = -0.25
    /// The least usual change of |a|, m/s²: hearts and breath make less.
    private static let leastChange: Float = 0.02
    /// How far two rates may be apart and agree.
    private static let agreement: Float = 0.12
    /// A look is taken every 1.6 s; so many must agree, and so many may fail.
    private static let looks = 4
    private static let openingLooks = 4
    private static let pardon = 1
    /// From one impact to the next of the same walk, in periods; of steps that are no slower than so many seconds, feet
    /// are heard well enough to be followed when one comes out of time.
    private static let gaps: ClosedRange<Float> = 0.7...1.4
    private static let heardGaps: ClosedRange<Float> = 0.5...1.8
    private static let slowSeconds: Float = 1.1
    private static let otherGap: Float = 0.1
    /// So many steps in a row are told, as the trace remembers a rhythm for a while.
    private static let toldSteps: Float = 4
    /// No foot for so many seconds, or steps, whichever is longer, is a stop.
    private static let leastSilenceSeconds: Float = 3
    private static let silenceSteps: Float = 2.5
    /// Of the usual change.
    private static let leastShare: Float = 1.2

    /// What was found: steps a second, how alike they are, and how many there are a period.
    private typealias Finding = (rate: Float, strength: Float, steps: Float)

    /// Whether slow steps are taken now.
    var isWalk: Bool { agreeing >= Self.openingLooks }
    /// Whether feet may be heard, though it is too soon to be sure.
    var mayBeHeard: Bool { rate > 0 && isOfFeet }
    /// Whether jolts of feet tell of them, whatever their pace.
    var isHeard: Bool { isWalk && isOfFeet }

    /// Whether there are jolts as of feet in slow steps.
    static func isJolted(_ features: SignalFeatures) -> Bool {
        features.jolts(rateHz: usualRate) > FootThresholds.jolts
    }

    /// Looks for the rhythm; `hearsFeet` where there are jolts as of feet, `isHeld` where nothing else is believed.
    /// Whether that was the time to look.
    mutating func evaluate(isLeg: Bool, hearsFeet: Bool, isHeld: Bool) -> Bool {
        evaluations += 1
        guard evaluations >= Self.looks else { return false }
        evaluations = 0
        let heard = hearsFeet ? findFeet() : nil
        let found = heard ?? (isHeld ? nil : find(isLeg: isLeg))
        if let found, agreeing == 0 || abs(found.rate - rate) <= Self.agreement * rate {
            (rate, strength, stepsAPeriod) = found
            isOfFeet = heard != nil
            agreeing = min(agreeing + 1, 100)
            misses = 0
        } else if agreeing > 0, misses < Self.pardon {
            misses += 1
        } else {
            agreeing = 0
            misses = 0
            rate = 0
        }
        // When the feet stand, what is usual falls.
        least = isWalk ? max(Self.leastShare * impacts.usual, least) : 0
        return true
    }

    private var leastStrength: Float { isWalk ? Self.closingStrength : Self.openingStrength }

    /// The rhythm of feet at any slow pace: that of one step, or of a stride where the other foot is heard in it. When
    /// feet begin to land, everything is like everything for a while; what all lags have is taken off.
    private func findFeet() -> Finding? {
        guard impacts.usual > Self.leastChange, let period = impacts.peak(in: Self.heardLags, share: Self.peakShare)
        else { return nil }
        let always = max(impacts.mean(in: Self.comparedLags), 0)
        let height = (period.height - always) / (1 - always)
        let lowest = (impacts.lowest(before: period.seconds) - always) / (1 - always)
        guard height > leastStrength, lowest < Self.heardPauseSimilarity else { return nil }
        let steps: Float = hearsOtherFoot(in: period) ? 2 : 1
        return (steps / period.seconds, min(height, 1), steps)
    }

    /// Whether there is a second impact about the middle of what repeats itself, well above what is beside it.
    private func hearsOtherFoot(in period: (seconds: Float, height: Float)) -> Bool {
        let lag = period.seconds / ImpactAutocorrelation.spacingSeconds
        let lags = Int((Self.otherFoot.lowerBound * lag).rounded(.up))...Int(Self.otherFoot.upperBound * lag)
        guard let other = impacts.highestPeak(in: lags) else { return false }
        let (before, after) = (impacts.lowest(in: 1...other), impacts.lowest(in: other...Int(lag)))
        let rise = impacts.similarity(other) - max(before, after)
        return rise > Self.otherFootRise * (period.height - min(before, after))
    }

    private func find(isLeg: Bool) -> Finding? {
        guard impacts.usual > Self.leastChange else { return nil }
        let step = isLeg ? nil : impacts.peak(in: Self.stepLags, share: Self.peakShare)
        let stride = impacts.peak(in: Self.strideLags, share: Self.peakShare)
        let (seconds, height, steps): (Float, Float, Float)
        if let step, step.height > Self.peakShare * (stride?.height ?? 0) {
            (seconds, height, steps) = (step.seconds, step.height, 1)
        } else if let stride {
            (seconds, height, steps) = (stride.seconds, stride.height, 2)
        } else {
            return nil
        }
        let isFaster =
            isLeg
            ? isTwice(height, seconds: seconds) : isQuick(than: height, seconds: steps > 1 ? 0.5 * seconds : seconds)
        guard height > leastStrength, !isFaster, impacts.lowest(before: seconds) < Self.pauseSimilarity
        else { return nil }
        return (steps / seconds, min(height, 1), steps)
    }

    /// Whether what repeats itself after a time does so after half of it, too, as two strides of one foot do.
    private func isTwice(_ height: Float, seconds: Float) -> Bool {
        let half = Int((0.5 * seconds / ImpactAutocorrelation.spacingSeconds).rounded())
        return ((half - 1)...(half + 1)).contains { impacts.similarity($0) > Self.twiceShare * height }
    }

    /// Whether something repeats sooner than a step, as in a walk at any ordinary pace.
    private func isQuick(than height: Float, seconds: Float) -> Bool {
        let last = Int(Self.quickPart * seconds / ImpactAutocorrelation.spacingSeconds)
        guard last > 2, let quick = impacts.peak(in: 2...last, share: 1) else { return false }
        return quick.height > Self.quickShare * height
    }

    /// From half a period before the first of the impacts that follow one another in this rhythm, to as long after the
    /// last one, UTC µs.
    var bout: ClosedRange<Int64>? {
        let period = 1e6 * stepsAPeriod / max(rate, 0.4)
        let usual = isOfFeet && rate * Self.slowSeconds > 1 ? Self.heardGaps : Self.gaps
        // The other foot may be heard between two of the same one.
        let shortest = stepsAPeriod > 1 ? Self.otherGap : usual.lowerBound
        let gaps = Int64(shortest * period)...Int64(usual.upperBound * period)
        return impacts.trail.bout(gaps: gaps, least: least).map {
            ($0.lowerBound - Int64(0.5 * period))...($0.upperBound + Int64(0.5 * period))
        }
    }

    /// Whether so many feet follow one another that it is told.
    var isTold: Bool { bout.map { Float($0.upperBound - $0.lowerBound) * rate > 1e6 * Self.toldSteps } ?? false }

    /// Whether the last foot of a bout is longer ago than the next one may be.
    func isOver(_ bout: ClosedRange<Int64>, at now: Int64) -> Bool {
        let step = 1 / max(rate, StepThresholds.rates.lowerBound)
        let silence = Int64(1e6 * max(Self.leastSilenceSeconds, Self.silenceSteps * step))
        return now - bout.upperBound > silence - Int64(0.5e6 * stepsAPeriod * step)
    }

    mutating func reset() {
        self = ImpactCadence()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        impacts.transfer(&coder)
        coder.code(&rate)
        coder.code(&strength)
        coder.code(&stepsAPeriod, in: 1...2)
        coder.code(&isOfFeet)
        coder.code(&least)
        coder.code(&agreeing, in: 0...100)
        coder.code(&misses, in: 0...Self.pardon)
        coder.code(&evaluations, in: 0...Self.looks)
    }
}
