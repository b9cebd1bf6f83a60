extension LagCurve {
    /// The period on a person: the last known one, ticks, is looked for first, and a slow one is doubted, unless the
    /// similarity of a longer time has it as well.
    func personPeak(in lags: ClosedRange<Int>, recentPeriod: Float, over longer: LagCurve, isLeg: Bool) -> Peak? {
        let first = firstStrongPeak(in: lags, share: RevolutionThresholds.personPeakShare)
        guard let first else { return nil }
        let peak = recalledPeak(recentPeriod, atLeast: RevolutionThresholds.recallShare * first.height) ?? first
        let share = longer.isWhole(peak.lag) ? RevolutionThresholds.wholeHalfShare : RevolutionThresholds.halfShare
        let single = fundamental(of: peak, longLag: RevolutionThresholds.longLag, share: share)
        // A leg swings once a turn: there is no second foot's push to be mistaken for one.
        let isHalf = !isLeg && longer.isHalf(single.lag)
        return refined(isHalf ? doubled(single) : single, share: RevolutionThresholds.doubleShare)
    }

    /// Whether a quick period is half of one, as both feet push: after twice that the signal is more like itself. Few
    /// riders turn so fast.
    private func isHalf(_ lag: Float) -> Bool {
        guard lag < RevolutionThresholds.quickLag, let half = highestPeak(near: lag),
            let whole = highestPeak(near: 2 * lag), whole.height > RevolutionThresholds.wholeStrength
        else { return false }
        return half.height < RevolutionThresholds.quickHalfShare * whole.height
    }

    private func doubled(_ peak: Peak) -> Peak {
        highestPeak(near: 2 * peak.lag) ?? peak
    }

    /// Whether a period is a whole one: half a period later the signal is clearly less like itself. Slow movement
    /// without a period feigns that for moments only.
    private func isWhole(_ lag: Float) -> Bool {
        guard let whole = highestPeak(near: lag), whole.height > RevolutionThresholds.wholeStrength else {
            return false
        }
        let half = highestPeak(near: lag / 2)?.height ?? 0
        return half < RevolutionThresholds.wholeHalfShare * whole.height
    }

    /// Whether what repeats after a period does so after two of them nearly as clearly: of what springs swing to, which
    /// are pushed at random, each swing leaves less.
    func lasts(_ lag: Float) -> Bool {
        guard let once = highestPeak(near: lag), once.height > RevolutionThresholds.personSlowStrength,
            let twice = highestPeak(near: 2 * lag)
        else { return false }
        return twice.height > RevolutionThresholds.lastingShare * once.height
    }

    /// Whether something repeats itself quicker than anybody pedals, of which a period that long is some.
    func isQuicker(than lag: Float) -> Bool {
        guard let quick = highestPeak(in: RevolutionThresholds.tooQuickLags), let found = highestPeak(near: lag) else {
            return false
        }
        return quick.height > found.height
    }

    private func recalledPeak(_ recentPeriod: Float, atLeast height: Float) -> Peak? {
        guard recentPeriod >= 6 else { return nil }
        return highestPeak(near: recentPeriod).flatMap { $0.height >= height ? $0 : nil }
    }
}
