extension LagCurve {
    /// The period on a person: the last known one, ticks, is looked for first, and a slow one is doubted.
    func personPeak(recentPeriod: Float) -> Peak? {
        let first = firstStrongPeak(in: RevolutionGate.personLags, share: RevolutionGate.personPeakShare)
        guard let first else { return nil }
        let peak = recalledPeak(recentPeriod, atLeast: RevolutionGate.recallShare * first.height) ?? first
        let single = fundamental(of: peak, longLag: RevolutionGate.longLag, share: RevolutionGate.halfShare)
        return refined(single, share: RevolutionGate.doubleShare)
    }

    private func recalledPeak(_ recentPeriod: Float, atLeast height: Float) -> Peak? {
        guard (6...60).contains(recentPeriod) else { return nil }
        return highestPeak(near: recentPeriod).flatMap { $0.height >= height ? $0 : nil }
    }
}
