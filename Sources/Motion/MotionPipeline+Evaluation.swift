extension MotionPipeline {
    /// Ticks between evaluations: 0.4 s; a multiple of ``MovementEnvelope/spacingTicks``. None is the last tick of a second.
    static let evaluationTicks = Int64(Tick.mostAtOnce)

    @inline(never)
    mutating func evaluate(_ tick: Tick, into events: inout MotionEvents) {
        diagnostics.isTooSlow = rateGauge.isTooSlow(isOnBike: isOnBike)
        diagnostics.isInStandardGravities = front.gauge.isInG
        diagnostics.isWithoutGravity = front.gauge.isWithoutGravity
        var features = front.features(tick: tick, isOnCrank: isOnBike && placement == .crank)
            .asSampled(rateGauge)
        front.settle(features, needsTurning: !steps.isOpen || asksForSwing(features), isClear: revolutions.isClear)
        guard !diagnostics.isTooSlow else {
            steps.close(features, placement, into: &events)
            steps.forgetFootfalls()
            revolutions.close(features, into: &events)
            return
        }
        if isUndescribed { evaluateBearer(features, into: &events) }
        feelVibration(&features)
        evaluateSteps(&features, into: &events)
        if countsSteps {
            steps.followFeet(features, placement, isPedalling: revolutions.isOpen, into: &events)
        }
        steps.tell(features)
        evaluateSwings(features, into: &events)
        evaluateRevolutions(features, into: &events)
        tellActivity(features)
    }

    private mutating func evaluateSteps(_ features: inout SignalFeatures, into events: inout MotionEvents) {
        steps.leg.swing = nil
        guard countsSteps, features.sensors.contains(.acceleration) else { return }
        guard !isUndescribed || !bearer.leansToFrame else {
            steps.forgetFootfalls()
            steps.rest(features, placement: placement, into: &events)
            return
        }
        guard features.vectorDeviation > StepThresholds.leastMovement(features, placement) else {
            steps.rest(features, placement: placement, into: &events)
            return
        }
        if asksForSwing(features) { steps.leg.swing = swing() }
        normCurve.clear()
        front.addNormSimilarity(weight: 1, to: &normCurve)
        curve.clear()
        front.addAccelerationSimilarity(weight: 1 - StepThresholds.normWeight, to: &curve)
        steps.leg.swing?.take(
            movement: curve, weight: 1 - StepThresholds.normWeight, similarityShare: features.similarityShare)
        features.turnsWithLeg = steps.leg.turnsWithLeg(features)
        if placement.isLeg, !features.turnsWithLeg { features.opposition = curve.opposition }
        curve.add(normCurve, weight: StepThresholds.normWeight)
        let (wasOpen, countedThrough) = (steps.isOpen, steps.countedThrough)
        features.pedalledRate = placement == .unknown ? revolutions.rememberedRate : revolutions.settledRate
        steps.evaluate(
            curve: curve, normCurve: normCurve, features: features, placement: placement,
            movement: revolutions.movement, into: &events)
        if configuration.placement == .unknown { judgeShank(features) }
        features.mayBeCarried = steps.mayBeCarried
        features.isUndecidedLeg =
            placement.isLeg && !steps.leg.mayPedal(features, placement)
        if steps.countedThrough > countedThrough { revolutions.forgetPeriod() }
        if steps.isOpen {
            revolutions.exclude(until: features.timeMicroseconds)
        } else if wasOpen, BoutThresholds.hasFaded(features) {
            front.forgetPeriod()
        }
    }

    /// Whether it matters how a limb swings: on a leg, and in a pocket, which may be on one, unless it is known that
    /// someone walks.
    // Inlined because a call would copy the pipeline.
    @inline(__always)
    private func asksForSwing(_ features: SignalFeatures) -> Bool {
        guard placement.isLeg || placement == .pocket, features.hasTurning else {
            return false
        }
        return !steps.isOpen || !steps.leg.isWalking
    }

    /// How the limb swings, as its angular velocity tells, which no shaking of the machine reaches.
    private mutating func swing() -> LegSwing? {
        curve.clear()
        front.addTurningSimilarity(weight: 1, to: &curve)
        return LegSwing(turning: curve, placement: placement)
    }

    private mutating func evaluateRevolutions(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard !isPrototype else { return }
        guard !steps.isOpen, isOnBike || !isUndescribed || !bearer.leansToFrame else {
            revolutions.close(features, into: &events)
            return
        }
        guard isOnBike || mayCycle(features) && !mayWalk(features) else {
            revolutions.bridge(features, into: &events)
            return
        }
        let (hasAcceleration, hasTurning) = (features.hasAcceleration, features.hasTurning)
        curve.clear()
        let turningShare: Float = isOnBike ? 0.5 : 0.7
        addSimilarity(of: .acceleration, weight: hasAcceleration ? hasTurning ? 1 - turningShare : 1 : 0)
        addSimilarity(of: .angularVelocity, weight: hasTurning ? hasAcceleration ? turningShare : 1 : 0)
        if isOnBike { hearField(features, isAlone: !hasAcceleration && !hasTurning) }
        revolutions.evaluate(curve: curve, front: &front, features: features, into: &events)
        if revolutions.isOpen {
            steps.exclude(until: features.timeMicroseconds)
        }
    }

    /// Adds what one sensor says: of a bike's last moments, of a person's last seconds.
    private mutating func addSimilarity(of sensor: SensorSet, weight: Float) {
        guard weight > 0 else { return }
        if isOnBike {
            front.addFreshSimilarity(of: sensor, weight: weight, to: &curve)
        } else if sensor == .acceleration {
            front.addAccelerationSimilarity(weight: weight, to: &curve)
        } else {
            front.addTurningSimilarity(weight: weight, to: &curve)
        }
    }

    /// Asks the magnetic field about a bike's crank. Alone it counts where the sensor turns with the crank.
    private mutating func hearField(_ features: SignalFeatures, isAlone: Bool) {
        guard features.sensors.contains(.magneticField), features.fieldDeviation > MagnetometerEvidence.floor else {
            revolutions.hear(field: nil)
            return
        }
        normCurve.clear()
        front.addFreshSimilarity(of: .magneticField, weight: 1, to: &normCurve)
        revolutions.hear(field: normCurve)
        if isAlone, features.isOnCrank { curve.add(normCurve, weight: 1) }
    }

    var countsSteps: Bool { !isPrototype && !isOnBike }

    /// Whether a sensor that is not on a bike may be on someone pedalling. Of someone who pedals already the last
    /// moments are asked: a gesture is over sooner than it is forgotten.
    @inline(__always)
    private func mayCycle(_ features: SignalFeatures) -> Bool {
        if placement.isLeg {
            return !steps.leg.walks(features, placement, isOpen: false)
                && (revolutions.isOpen || !steps.mayBeginToWalk(features, placement))
        }
        guard !steps.leg.isWalking else { return false }
        return steps.leg.isPedalling
            || StepThresholds.isSmall(features.normDeviation, beside: features.vectorDeviation)
                && !ArmThresholds.isBeyondHandlebar(features, placement)
            || revolutions.isOpen
                && StepThresholds.isSmall(features.shortNormDeviation, beside: features.shortVectorDeviation)
    }

    /// Whether steps may go on or come. Of a rhythm that was a walk's nothing is left on an arm where the last moments
    /// do not change |a| even as much as soft feet do: who wiped the face at the rate of the pedals pedals on.
    @inline(__always)
    private func mayWalk(_ features: SignalFeatures) -> Bool {
        let hearsFeet = !mayTurn || features.shortNormDeviation > StepThresholds.sureNormDeviation
        return steps.mayBeWalking(hearsFeet: hearsFeet, on: placement)
    }

    var isActive: Bool {
        if let decoder { return decoder.live.probability > 0 }
        if isPrototype { return prototype.map { $0.estimator.cadenceRPM > 0 } ?? false }
        return steps.told.rate > 0 || revolutions.isOpen
    }

    /// The state now, without time and active time.
    var report: SecondReport {
        @inline(__always) get { makeReport() }
    }

    @inline(__always)
    private func makeReport() -> SecondReport {
        var report = SecondReport(
            timeMicroseconds: 0, activity: classifier.activity, activityConfidence: classifier.confidence)
        if let decoder {
            report.cadenceSPM = decoder.live.stepRate * 60
            report.cadenceRPM = decoder.live.pedalRate * 60
            report.confidence = decoder.live.probability
        } else if let prototype {
            report.cadenceRPM = prototype.estimator.cadenceRPM
            report.activity = report.cadenceRPM > 0 ? .cycling : classifier.activity
        } else if steps.told.rate > 0 {
            report.cadenceSPM = steps.told.rate * 60
            report.confidence = Calibration.walking.probability(strength: steps.told.likeness)
        } else if revolutions.isTold {
            report.cadenceRPM = revolutions.rate * 60
            report.confidence = revolutions.confidence
        }
        return report
    }
}

extension MotionPipeline {
    /// A bike is not a person who may sit in a vehicle, and who walks in one is not shaken alone. A vehicle that stands
    /// will drive on.
    mutating func feelVibration(_ features: inout SignalFeatures) {
        if isOnBike || steps.isOpen && steps.likeness > StepThresholds.walkLikeness {
            vibration.clear()
        } else {
            vibration.take(features, isOnArm: mayTurn)
        }
        let isResting = vibration.source == .none && classifier.activity == .automotive
        features.vibration = isResting ? .vehicle : vibration.source
        features.mayBeShaken = vibration.isSuspected || features.vibration != .none
        features.isUnshaken = vibration.isKnown && !features.mayBeShaken
    }

    /// Names what is done now that steps and revolutions have been looked for.
    mutating func tellActivity(_ features: SignalFeatures) {
        classifier.evaluate(
            features: features, vibration: vibration.source, stepRate: steps.told.rate > 0 ? steps.told.rate : nil,
            isPedalling: isOnBike ? revolutions.isTold : revolutions.isOpen)
    }
}

extension MotionPipeline {
    /// Counts the strides of short bouts that are felt below the knee, unless something else is counted or a road
    /// shakes.
    @inline(__always)
    mutating func evaluateSwings(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard mayHaveSwings, features.hasAcceleration, !features.mayBeShaken else { return }
        guard SwingTrain.isDue(revolutions.movement, since: steps.countedThrough) else { return }
        countSwings(isEnd: false, into: &events)
    }

    /// The same where the signal ends.
    mutating func settleSwings(into events: inout MotionEvents) {
        if mayHaveSwings { countSwings(isEnd: true, into: &events) }
    }

    // Inlined because a call would copy the pipeline.
    @inline(__always)
    private var mayHaveSwings: Bool {
        placement.isBelowKnee && !isPrototype && !isOnBike && !steps.isOpen && !revolutions.isOpen
    }

    @inline(never)
    private mutating func countSwings(isEnd: Bool, into events: inout MotionEvents) {
        steps.countSwings(revolutions.movement, isEnd: isEnd, into: &events)
        revolutions.exclude(until: steps.countedThrough)
    }
}
