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

extension StepCounter {
    /// Whether an arm moves as a walker's does: the body under it rises and falls by centimetres each step, so that |a|
    /// changes with the square of the rate, and softens the jolts that work with a hand makes. Who runs repeats it like
    /// clockwork; who scrubs or brushes does not.
    static func isArmWalking(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        guard
            hypothesis.rate < StepThresholds.walkingRates.upperBound || hypothesis.strength > ArmThresholds.fastStrength
        else { return false }
        let isSure = hypothesis.isAlternating(features, placement)
        let sureness = isSure ? 1 : StepThresholds.sureness(strength: hypothesis.normStrength)
        let roughShare =
            features.normDeviation > RunThresholds.flightNormDeviation
            ? ArmThresholds.flyingShare : ArmThresholds.quickShare
        return max(features.normDeviation, features.shortNormDeviation)
            > ArmThresholds.leastNormDeviation(rate: hypothesis.rate, sureness: sureness)
            && (features.normRoughness < max(ArmThresholds.mostRoughness, roughShare * hypothesis.sineRoughness)
                || isJolted(hypothesis, features, placement)
                || placement == .unknown && hypothesis.footLikeness(features, placement) > 0)
    }

    /// Whether what may be an arm is jolted along gravity in the rhythm of a walk: then it is none, but a pocket.
    private static func isJolted(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        placement == .unknown && StepThresholds.walkingRates.contains(hypothesis.rate)
            && hypothesis.strength > StepThresholds.clearStrength
            && features.normDeviation > ArmThresholds.joltedShare * features.vectorDeviation
    }
}

extension StepCounter {
    /// Counts the strides of short bouts below the knee that no period took over and nothing goes on with; at the end
    /// of the signal all. Their movement is kept in steps of 0.2 s.
    mutating func countSwings(_ movement: MovementEnvelope, isEnd: Bool, into events: inout MotionEvents) {
        let newest = movement.endMicroseconds
        let pause = isEnd ? 0 : Int64(1e6 * SwingOdds.longestSeconds)
        SwingTrain.with(movement: movement, norm: rise) { train in
            count(train, endedBefore: newest - pause, latest: newest, into: &events)
        }
    }

    /// When a bout below the knee began whose |a| rose to its usual strength at a time: a little before the middle of
    /// the first of the swings that lead to it, which soft landings and slow samples hide from |a|. Bouts before that
    /// are counted.
    mutating func beginningOfSwings(
        _ risen: Int64, _ movement: MovementEnvelope, into events: inout MotionEvents
    ) -> Int64 {
        let step = 1e6 / max(rate, StepThresholds.rates.lowerBound)
        return SwingTrain.with(movement: movement, norm: rise) { train in
            let first = train.beginning(rate: 0.5 * rate, since: integrator.time)
            let start = first.map { min(risen, $0 - Int64(SwingOdds.leadSteps * step)) } ?? risen
            let end = start - Int64(step)
            train.forget(from: end)
            count(train, endedBefore: end, latest: start, into: &events)
            return start
        }
    }

    /// Counts those of bouts whose last swing was before `end`, no later than `latest`.
    private mutating func count(
        _ train: borrowing SwingTrain, endedBefore end: Int64, latest: Int64, into events: inout MotionEvents
    ) {
        let recentRate = recalledRate(at: latest)
        while let bout = train.bout(since: integrator.time, endedBefore: end, recentRate: recentRate) {
            count(bout, latest: latest, into: &events)
        }
    }

    /// Two steps each, as the other foot is not felt: as often as it makes one more, it makes one less.
    private mutating func count(_ bout: SwingTrain.Bout, latest: Int64, into events: inout MotionEvents) {
        let steps = 2 * bout.count
        let stepMicroseconds = Float(bout.last - bout.first) / Float(steps - 2)
        for step in 0..<steps {
            let time = min(bout.first + Int64(Float(step) * stepMicroseconds), latest)
            events.append(.steps(count: 1, timeMicroseconds: time))
            integrator.exclude(until: time)
        }
    }
}
