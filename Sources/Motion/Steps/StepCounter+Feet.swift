extension StepCounter {
    /// Takes what is heard of feet in ticks.
    @inline(__always)
    mutating func hear(_ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>) {
        guard let last = ticks.last else { return }
        feet.impacts.push(filtered, newest: last.index)
    }

    /// Counts slow steps where no other rhythm is, unless someone pedals.
    mutating func followFeet(
        _ features: SignalFeatures, _ placement: Placement, isPedalling: Bool, into events: inout MotionEvents
    ) {
        let isPedalling =
            isPedalling || leg.goesRound || placement.maySwingWithLeg && leg.forbidsSteps(on: placement)
        let hearsFeet =
            placement.hearsFeet && FootRhythm.isJolted(features)
            && (!placement.isOnArm || FootGate.slowMovement.contains(features.vectorDeviation))
        let isTime = feet.evaluate(isLeg: placement.isLeg, hearsFeet: hearsFeet, isHeld: placement.mayTurn)
        guard isTime || isSteady || isPedalling else { return }
        let isSquat = feet.rate > 0 && features.isSquat(rate: feet.rate, placement)
        if isSquat, !isByFeet { feet.reset() }
        let isBelieved = isByFeet || feet.isHeard || features.vibration == .none
        guard feet.isWalk, !isSquat, !isSteady, !isPedalling, isBelieved else {
            isByFeet = false
            return
        }
        let isKnown = wasSteady(at: features.timeMicroseconds) && (placement.isLeg || isSlowerPart)
        if !isByFeet, !isKnown, let bout = feet.bout {
            integrator.start(at: max(bout.lowerBound, features.timeMicroseconds - BoutGate.footCreditMicroseconds))
            isByFeet = true
        }
        advanceByFeet(to: features.timeMicroseconds, into: &events)
    }

    /// Whether someone just walked in a rhythm that its period told. A leg tells it of any walk that is not slower than
    /// what goes on there then: gestures.
    private func wasSteady(at timeMicroseconds: Int64) -> Bool {
        recentTime > 0 && timeMicroseconds - recentTime < BoutGate.pauseMicroseconds
    }

    /// Whether the slow rhythm is part of that one: the jolts of a limp are those of one foot.
    private var isSlowerPart: Bool { abs(feet.rate - recentRate) > StepGate.agreement * recentRate }

    /// Counts to half a period after the last foot that was heard.
    mutating func advanceByFeet(to now: Int64, into events: inout MotionEvents) {
        guard isByFeet, let bout = feet.bout else { return }
        // Between two bouts the feet stood.
        if bout.lowerBound > integrator.time { integrator.start(at: bout.lowerBound) }
        integrator.advance(to: min(bout.upperBound, now), ratePerSecond: feet.rate, unit: .steps, into: &events)
    }
}
