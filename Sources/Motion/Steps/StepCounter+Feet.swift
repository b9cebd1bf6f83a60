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
            placement.hearsFeet && ImpactCadence.isJolted(features)
            && (!placement.isOnArm || FootThresholds.slowMovement.contains(features.vectorDeviation))
        let isTime = feet.evaluate(isLeg: placement.isLeg, hearsFeet: hearsFeet, isHeld: placement.mayTurn)
        guard isTime || isSteady || isPedalling || feet.isWalk else { return }
        let isSquat = feet.rate > 0 && features.isSquat(rate: feet.rate, placement)
        if isSquat, !isByFeet { feet.reset() }
        let isBelieved = isByFeet || feet.isHeard || features.vibration == .none
        let wasByFeet = isByFeet
        isByFeet = false
        guard feet.isWalk, !isSquat, !isSteady, !isPedalling, isBelieved, let bout = feet.bout else { return }
        let now = features.timeMicroseconds
        if !wasByFeet {
            // What was counted already is not begun anew.
            let isNew = Float(bout.upperBound - integrator.time) * feet.rate > 1e6
            guard isNew, !(wasSteady(at: now) && (placement.isLeg || isSlowerPart)) else { return }
            integrator.start(at: max(bout.lowerBound, now - BoutThresholds.footCreditMicroseconds))
        }
        advance(by: bout, to: now, into: &events)
        // What is found when it is over is counted, too.
        isByFeet = !feet.isOver(bout, at: now)
        if !isByFeet { told = ReportedCadence() }
    }

    /// Whether someone just walked in a rhythm that its period told. A leg tells it of any walk that is not slower than
    /// what goes on there then: gestures.
    private func wasSteady(at timeMicroseconds: Int64) -> Bool {
        recentTime > 0 && timeMicroseconds - recentTime < BoutThresholds.pauseMicroseconds
    }

    /// Whether the slow rhythm is part of that one: the jolts of a limp are those of one foot.
    private var isSlowerPart: Bool { abs(feet.rate - recentRate) > StepThresholds.agreement * recentRate }

    /// Counts the steps of an open bout that only feet tell, because the signal ends here.
    mutating func settleFeet(at now: Int64, into events: inout MotionEvents) {
        if isByFeet, let bout = feet.bout { advance(by: bout, to: now, into: &events) }
    }

    /// Counts to half a period after the last foot that was heard.
    private mutating func advance(by bout: ClosedRange<Int64>, to now: Int64, into events: inout MotionEvents) {
        // Between two bouts the feet stood.
        if bout.lowerBound > integrator.time { integrator.start(at: bout.lowerBound) }
        integrator.advance(to: min(bout.upperBound, now), ratePerSecond: feet.rate, unit: .steps, into: &events)
    }
}
