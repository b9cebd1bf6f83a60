extension StepCounter {
    /// Takes what is heard of feet in ticks.
    @inline(__always)
    mutating func hear(_ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>) {
        guard let last = ticks.last else { return }
        slow.impacts.push(filtered, newest: last.index)
    }

    /// Counts slow steps where no other rhythm is, unless someone pedals.
    mutating func followSlow(
        _ features: SignalFeatures, _ placement: Placement, isPedalling: Bool, into events: inout MotionEvents
    ) {
        let isPedalling =
            isPedalling || leg.goesRound || placement.maySwingWithLeg && leg.forbidsSteps(on: placement)
        let hearsFeet =
            placement.hearsFeet && SlowRhythm.isJolted(features)
            && (!placement.isOnArm || StepGate.slowMovement.contains(features.vectorDeviation))
        let isTime = slow.evaluate(isLeg: placement.isLeg, hearsFeet: hearsFeet, isHeld: placement.mayTurn)
        guard isTime || isSteady || isPedalling else { return }
        let isSquat = slow.rate > 0 && features.isSquat(rate: slow.rate, placement)
        if isSquat, !isSlow { slow.reset() }
        let isBelieved = isSlow || slow.isHeard || features.vibration == .none
        guard slow.isWalk, !isSquat, !isSteady, !isPedalling, isBelieved else {
            isSlow = false
            return
        }
        let isKnown = wasSteady(at: features.timeMicroseconds) && (placement.isLeg || isSlowerPart)
        if !isSlow, !isKnown, let bout = slow.bout {
            integrator.start(at: max(bout.lowerBound, features.timeMicroseconds - StepGate.slowCreditMicroseconds))
            isSlow = true
        }
        advanceSlow(to: features.timeMicroseconds, into: &events)
    }

    /// Whether someone just walked in a rhythm that its period told. A leg tells it of any walk that is not slower than
    /// what goes on there then: gestures.
    private func wasSteady(at timeMicroseconds: Int64) -> Bool {
        recentTime > 0 && timeMicroseconds - recentTime < StepGate.pauseMicroseconds
    }

    /// Whether the slow rhythm is part of that one: the jolts of a limp are those of one foot.
    private var isSlowerPart: Bool { abs(slow.rate - recentRate) > StepGate.agreement * recentRate }

    /// Counts to half a period after the last foot that was heard.
    mutating func advanceSlow(to now: Int64, into events: inout MotionEvents) {
        guard isSlow, let bout = slow.bout else { return }
        // Between two bouts the feet stood.
        if bout.lowerBound > integrator.time { integrator.start(at: bout.lowerBound) }
        integrator.advance(to: min(bout.upperBound, now), ratePerSecond: slow.rate, unit: .steps, into: &events)
    }
}
