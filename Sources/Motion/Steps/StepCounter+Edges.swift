extension StepCounter {
    /// When a bout began that is not the last one going on: what moved before its rhythm was found is credited for a
    /// while only, and nothing before its first footfall, where footfalls are told apart.
    func beginning(risen: Int64, _ features: SignalFeatures, _ placement: Placement) -> Int64 {
        let usual = placement.isOnArm ? BoutThresholds.armCreditMicroseconds : BoutThresholds.creditMicroseconds
        let credit = max(usual, Int64(1e6 * BoutThresholds.creditSteps / max(rate, 0.4)))
        let start = max(risen, min(features.timeMicroseconds - credit, rhythm.start))
        guard hearsFootfalls(placement), features.normDeviation > StepThresholds.normDeviation,
            let first = footfalls.beginning(rate: rate, placement: placement)
        else { return start }
        return max(start, first - Int64(0.5e6 / max(rate, 0.4)))
    }

    /// When the open bout ended, which moved by `normDeviation` in the last seconds: where that fell, or where the
    /// similarity began to fade.
    func ending(_ normDeviation: Float, _ placement: Placement, before end: Int64) -> Int64 {
        let share = isFast ? BoutThresholds.fastFallShare : BoutThresholds.fallShare
        let usual = isFast ? BoutThresholds.fastFallSeconds : BoutThresholds.fallSeconds
        let seconds = usual + (placement.isBelowKnee ? ShankThresholds.moreFallSeconds : 0)
        let fall = rise.fall(reference: normDeviation, share: share, before: end)
        let late = fall < end ? max(seconds - 0.5 / max(rate, StepThresholds.rates.lowerBound), 0) : 0
        return min(fall - Int64(1e6 * late), end - fadingTime)
    }

    /// When a bout began that rose to its usual strength at a time: its first steps come later after one another and
    /// are softer, as a gait is steady after about three (Mann et al., J. Bone Joint Surg. 61-A (1979) 232). In a
    /// pocket or on a thigh the first of all is hardly felt: each walk on record with a phone in a pocket began with
    /// one before the first footfall that was heard.
    func withFirstSteps(_ risen: Int64, _ placement: Placement) -> Int64 {
        guard hasSoftEdges(placement), let first = footfalls.first(since: risen, rate: rate) else { return risen }
        let heard = footfalls.softSteps(before: first, rate: rate, most: placement.mostSoftSteps)
        let count = placement.mayBeOnThigh ? max(heard, 1) : heard
        return first - Int64(1e6 * (Float(count) + 0.5) / rate)
    }

    /// When a bout ended that fell from its usual strength at a time: half a step after its last footfall, which is
    /// soft. In a pocket or on a thigh that with which a foot is set down beside the other is hardly felt.
    func withLastStep(_ fallen: Int64, _ placement: Placement) -> Int64 {
        guard hasSoftEdges(placement) else { return fallen }
        let step = 1e6 / rate
        let reach: Float = placement.mayBeOnThigh ? 0.25 : 0.75
        let unheard: Float = placement.mayBeOnThigh ? 1 : 0
        guard let last = footfalls.last(until: fallen + Int64(reach * step), steps: reach + 1.1, rate: rate) else {
            return fallen + Int64(unheard * step)
        }
        return last + Int64((unheard + 0.5) * step)
    }

    /// Whether a thigh may be that of someone who begins to walk: the first steps are slow and soft, and a thigh swings
    /// in them as purely as one that pedals, until more has been heard.
    @inline(__always)
    func mayBeginToWalk(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        guard placement == .thigh, leg.odds <= 0 else { return false }
        let now = features.timeMicroseconds
        let risen = rise.onset(
            reference: features.shortNormDeviation, share: BoutThresholds.onsetShare, rate: StepThresholds.slowRate,
            before: now)
        return now - risen < BoutThresholds.undecidedMicroseconds
    }

    /// Whether soft steps at the edges of a bout are looked for: not at feet, nor in runs.
    func hasSoftEdges(_ placement: Placement) -> Bool {
        rate > StepThresholds.rates.lowerBound && !isFast && (!placement.isLeg || placement.mayBeOnThigh)
    }

    /// Whether the footfalls of steps at this rate are told apart: not on an arm that runs.
    func hearsFootfalls(_ placement: Placement) -> Bool { !placement.mayTurn || !isFast }
}
