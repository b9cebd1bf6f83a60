extension MotionPipeline {
    @inline(never)
    mutating func evaluate(_ tick: Tick, into events: inout MotionEvents) {
        diagnostics.isInStandardGravities = accelerometer.isInG
        diagnostics.isWithoutGravity = accelerometer.isWithoutGravity
        accelerometer.doubt(turnsOver: isOnBike || counting == .rule)
        guard hasFront else { return evaluatePerson(tick, into: &events) }
        diagnostics.isTooSlow = rateGauge.isTooSlow(isOnBike: isOnBike || counting == .rule)
        let features = front.features(tick: tick, isOnCrank: isOnBike && configuration.placement == .crank)
            .asSampled(rateGauge)
        if !isOnBike { evaluatePerson(tick, into: &events) }
        if diagnostics.isTooSlow {
            if isOnBike { crank.close(at: features.timeMicroseconds, into: &events) }
        } else {
            if counting == .deciding { evaluateMount(features, into: &events) }
            if isOnBike { evaluateCrank(features, into: &events) }
            if isOnBike || counting == .rule { classifier.take(features, isPedalling: isOnBike && crank.isTold) }
        }
        if isOnBike { front.advance() }
    }

    /// Evaluates the last 0.4 s of a person. A signal that has become too slow has ended.
    private mutating func evaluatePerson(_ tick: Tick, into events: inout MotionEvents) {
        let counts = !isLeaningToFrame
        guard isOnPerson else { return }
        guard !diagnostics.isTooSlow else {
            decoder.finish(endOfBlock: tick.index, goesOn: false, counts: counts, into: &events)
            return classifier.take(.unknown, isPedalling: false)
        }
        let live = decoder.evaluate(counts: counts, into: &events)
        diagnostics.isTooCoarse = grain.isCoarse(scale: accelerometer.scale)
        diagnostics.isTooSmooth = decoder.slowSensor.isDull
        classifier.take(live.activity, isPedalling: live.pedalRate > 0)
    }

    /// Whether an undescribed sensor is probably on a frame, but not surely: no steps are counted then.
    var isLeaningToFrame: Bool { counting == .deciding && mount.leansToFrame }

    /// Evaluates the last 0.4 s of a bike by its autocorrelation.
    private mutating func evaluateCrank(_ features: SignalFeatures, into events: inout MotionEvents) {
        let (hasAcceleration, hasTurning) = (features.hasAcceleration, features.hasTurning)
        curve.clear()
        let share: Float = hasAcceleration && hasTurning ? 0.5 : 1
        if hasAcceleration {
            front.addSimilarity(of: .acceleration, weight: share, isSparse: crank.isClear, to: &curve)
        }
        if hasTurning { front.addSimilarity(of: .turning, weight: share, isSparse: crank.isClear, to: &curve) }
        evaluateField(features, isAlone: !hasAcceleration && !hasTurning)
        crank.evaluate(curve: curve, front: &front, features: features, into: &events)
    }

    /// Evaluates a bike's magnetic field. On its own it is counted where the sensor turns with the crank.
    private mutating func evaluateField(_ features: SignalFeatures, isAlone: Bool) {
        guard features.sensors.contains(.magneticField), features.fieldDeviation > MagnetometerEvidence.floor else {
            crank.takeNoField()
            return
        }
        fieldCurve.clear()
        front.addSimilarity(of: .field, weight: 1, isSparse: crank.isClear, to: &fieldCurve)
        crank.take(field: fieldCurve)
        if isAlone, features.isOnCrank { curve.add(fieldCurve, weight: 1) }
    }

    var isActive: Bool {
        if let rule { return rule.estimator.cadenceRPM > 0 }
        return isOnBike ? crank.isOpen : isOnPerson && decoder.live.confidence > 0
    }

    /// The report of this moment, without its time and active time.
    var report: SecondReport {
        var report = SecondReport(
            timeMicroseconds: 0, activity: classifier.activity, activityConfidence: classifier.confidence)
        if let rule {
            report.cadenceRPM = rule.estimator.cadenceRPM
            report.activity = report.cadenceRPM > 0 ? .cycling : classifier.activity
        } else if isOnBike {
            guard crank.isTold else { return report }
            report.cadenceRPM = crank.rate * 60
            report.confidence = crank.confidence
        } else if isOnPerson {
            report.cadenceSPM = decoder.live.stepRate * 60
            report.cadenceRPM = decoder.live.pedalRate * 60
            report.confidence = decoder.live.confidence
        }
        return report
    }

    /// Updates the decision whether an undescribed device is on a bike or a person, and switches where it changes.
    private mutating func evaluateMount(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard features.sensors.contains(.acceleration) else { return }
        mount.noteBeginning(features)
        let wasOnBike = isOnBike
        if features.sensors.contains(.angularVelocity), mount.take(spin: front.spin) {
            // Whatever else moves there.
        } else {
            mount.follow(gravity: accelerometer.gravity)
            if wasOnBike {
                mount.take(features, lineRate: crank.isOpen ? crank.lineRate : 0)
            } else {
                mount.take(features, rhythm: decoder.rhythm)
            }
        }
        guard isOnBike != wasOnBike else { return }
        if wasOnBike { crank.close(at: features.timeMicroseconds, into: &events) }
        let counted = wasOnBike ? crank.integrator.time : decoder.settledThrough
        turn()
        if isOnBike {
            crank.begun = mount.begunMicroseconds
            crank.integrator.exclude(until: counted)
        } else {
            decoder.exclude(until: counted)
        }
    }
}

/// Reports each whole UTC second of signal.
struct SecondReporter {
    private static let second: Int64 = 1_000_000
    /// Ticks of the current second with a signal, and active ones.
    private var tickCount = 0
    private var activeCount = 0
    /// The end of the newest reported second, UTC µs.
    private var reportedThrough: Int64 = 0
    private var current: Int64 = 0

    mutating func reset() {
        self = SecondReporter()
    }

    /// Takes ticks that do not end their second.
    @inline(__always)
    mutating func push(tickCount: Int, isActive: Bool) {
        self.tickCount += tickCount
        activeCount += isActive ? tickCount : 0
    }

    /// Takes a tick. True for the last one of its second: ``close(_:into:)`` follows.
    @inline(__always)
    mutating func push(tick: Tick, isActive: Bool) -> Bool {
        let end = Tick.endMicroseconds(ofTick: tick.index)
        if end > current || end <= current - Self.second {
            current = (end + Self.second - 1) / Self.second * Self.second
        }
        tickCount += 1
        activeCount += isActive ? 1 : 0
        return end == current
    }

    /// Reports a second that a gap or the end cuts, if at least half of it had a signal.
    mutating func cut(_ state: SecondReport, into events: inout MotionEvents) {
        if tickCount * 2 >= Tick.rateHz {
            close(state, into: &events)
        } else {
            tickCount = 0
            activeCount = 0
        }
    }

    /// Reports the second that has ended.
    mutating func close(_ state: SecondReport, into events: inout MotionEvents) {
        if current > reportedThrough {
            reportedThrough = current
            var report = state
            report.timeMicroseconds = current
            report.activeMilliseconds = min(activeCount * Int(Tick.microseconds / 1000), 1000)
            events.append(.second(report))
        }
        tickCount = 0
        activeCount = 0
    }
}
