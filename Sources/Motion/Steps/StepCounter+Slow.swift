extension StepCounter {
    /// Counts slow steps where no other rhythm is, unless someone pedals.
    mutating func followSlow(
        _ features: SignalFeatures, _ placement: Placement, isPedalling: Bool, into events: inout MotionEvents
    ) {
        let isPedalling = isPedalling || leg.goesRound || placement.mayBeOnThigh && leg.forbidsSteps(on: placement)
        guard !placement.mayTurn, slow.evaluate(isLeg: placement.isLeg) || isSteady || isPedalling else { return }
        guard slow.isWalk, !isSteady, !isPedalling, isSlow || features.vibration == .none else {
            isSlow = false
            return
        }
        if !isSlow, !isSlowerPart(at: features.timeMicroseconds), let bout = slow.bout {
            integrator.start(at: max(bout.lowerBound, features.timeMicroseconds - StepGate.slowCreditMicroseconds))
            isSlow = true
        }
        advanceSlow(to: features.timeMicroseconds, into: &events)
    }

    /// Whether the slow rhythm is part of one that was just walked: the jolts of a limp are those of one foot.
    private func isSlowerPart(at timeMicroseconds: Int64) -> Bool {
        recentTime > 0 && timeMicroseconds - recentTime < StepGate.pauseMicroseconds
            && abs(slow.rate - recentRate) > StepGate.agreement * recentRate
    }

    /// Counts to half a period after the last foot that was heard.
    mutating func advanceSlow(to now: Int64, into events: inout MotionEvents) {
        guard isSlow, let bout = slow.bout else { return }
        // Between two bouts the feet stood.
        if bout.lowerBound > integrator.time { integrator.start(at: bout.lowerBound) }
        integrator.advance(to: min(bout.upperBound, now), ratePerSecond: slow.rate, unit: .steps, into: &events)
    }
}
