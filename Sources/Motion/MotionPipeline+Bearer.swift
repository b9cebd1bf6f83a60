/// A device that nobody described: what carries it is decided by its signal, and may be decided anew.
extension MotionPipeline {
    /// Ticks of the lags at which |a| is asked for its rate, and the share of the highest peak that is one: both feet
    /// of a rider push.
    private static let normLags = 5...62
    private static let normShare: Float = 0.6

    /// Asks what carries the sensor, and turns to what that needs.
    mutating func evaluateBearer(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard features.sensors.contains(.acceleration) else { return }
        if features.sensors.contains(.angularVelocity), bearer.take(spin: front.spin) {
            // Whatever else moves there.
        } else {
            bearer.follow(gravity: front.gravity)
            if isOnBike {
                bearer.take(features, lineRate: revolutions.lineRate)
            } else {
                bearer.take(features, rhythm: rhythm(), hearsFeet: steps.feet.mayBeHeard)
            }
        }
        if bearer.isOnFrame != isOnBike { turn(features, into: &events) }
    }

    /// What repeats itself in |a|.
    private mutating func rhythm() -> MountClassifier.Rhythm {
        curve.clear()
        front.addNormSimilarity(weight: 1, to: &curve)
        guard let peak = curve.firstStrongPeak(in: Self.normLags, share: Self.normShare) else {
            return MountClassifier.Rhythm()
        }
        curve.clear()
        front.addAccelerationSimilarity(weight: 1, to: &curve)
        return MountClassifier.Rhythm(
            rateHz: 1 / (peak.lag * Tick.seconds), strength: peak.height, wholeStrength: curve.value(at: peak.lag))
    }

    /// Asks whether the sensor is worn below the knee, and turns to what that needs.
    @inline(never)
    mutating func judgeShank(_ features: SignalFeatures) {
        guard let swing = steps.swing else { return }
        shank.take(swing, features, stillness: revolutions.movement.stillness)
        guard shank.isBelowKnee != placement.isBelowKnee else { return }
        move(to: shank.isBelowKnee ? .ankle : .unknown)
        steps.move()
    }

    /// Takes the sensor to sit there.
    mutating func move(to placement: Placement) {
        self.placement = placement
        mayTurn = placement.mayTurn
        revolutions.move(to: placement)
    }

    /// Goes on with the counters of the other bearer: what the one has counted the other leaves out.
    private mutating func turn(_ features: SignalFeatures, into events: inout MotionEvents) {
        steps.forgetFootfalls()
        if !isOnBike { steps.rest(features, placement: placement, into: &events) }
        revolutions.close(features, into: &events)
        isOnBike.toggle()
        shank = AnklePlacementDetector()
        move(to: .unknown)
        let now = features.timeMicroseconds
        revolutions = revolutions.turned(isOnBike: isOnBike, countedThrough: steps.countedThrough, now: now)
        if !isOnBike {
            steps = StepCounter()
            steps.exclude(until: revolutions.countedThrough)
        }
        front = front.turned(isLevelled: !isOnBike)
    }
}
