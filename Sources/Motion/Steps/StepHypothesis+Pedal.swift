extension StepHypothesis {
    /// Whether a thigh pushes a pedal: |a| changes by more than a body does which rises and falls with a walk, and one
    /// push is more like the next than like the next but one. Of a walk only an arm or a leg adds so much, and they
    /// swing once in two steps.
    func isOfPushes(_ features: SignalFeatures) -> Bool {
        isBeyondWalk(features) && features.vectorDeviation < RunThresholds.vectorDeviation
            && alternation < StepThresholds.pushAlternation
    }

    /// Whether this is the rhythm that has been pedalled for a while, and no feet are felt that were not: who gets off
    /// a bike breaks it.
    func isPedalled(_ features: SignalFeatures) -> Bool {
        features.normDeviation < StepThresholds.normDeviation && jolts(features) < FootThresholds.jolts
            && hasRateOfPedals(features)
    }

    /// Whether this is the rate that has been pedalled for a while, or twice that, as both feet push.
    func hasRateOfPedals(_ features: SignalFeatures) -> Bool {
        let turns = features.pedalledRate > 0 ? rate / features.pedalledRate : 0
        return abs(turns - 1) < StepThresholds.agreement || abs(turns - 2) < 2 * StepThresholds.agreement
    }

    /// The logarithm of the odds that a limb goes round once a period, and no foot falls; where arms turn |a| is hidden
    /// by them. What begins is not yet as like itself as it will be.
    func oddsOfTurning(_ features: SignalFeatures, mayBeElsewhere: Bool, isSoon: Bool = false) -> Float {
        guard isStride else {
            guard rate < LegThresholds.fastestPedal || mayTurnFast(features, mayBeElsewhere: mayBeElsewhere) else {
                return 0
            }
            if features.hasTurning {
                let angle = features.turningDeviation / (2 * .pi * rate)
                if !(LegThresholds.trunkAngle...LegThresholds.legAngle).contains(angle) {
                    return angle > LegThresholds.legAngle ? 1 : -1
                }
            }
            let uprightShare = features.normDeviation / features.vectorDeviation
            guard abs(uprightShare - 1) > LegThresholds.tiltingShare else { return -1 }
            // A thigh that turns a pedal faster than that goes up and down as much as it goes to and fro.
            let isUpright = uprightShare > LegThresholds.bounceShare && rate < LegThresholds.fastestPedal
            let bounce = LegThresholds.bounce - LegThresholds.slowBounce * (1 - features.similarityShare)
            let isBody = !(isOnLeg ? isBeyondBody(features) : isBeyondWalk(features))
            let isBouncing = isUpright && isBody && halfNormShare < bounce
            guard !isBouncing, alternation < LegThresholds.alternation else { return LegThresholds.oddsOfBounce }
            let odds = 2 * LegThresholds.slope * (movementShare - LegThresholds.wholeMovement)
            let least = isSoon ? 0 : mayBeElsewhere ? LegThresholds.armLikeness : LegThresholds.likeness
            return strength > least ? odds : min(odds, 0)
        }
        guard !isRunningThigh else { return -1 }
        guard normStrength > LegThresholds.normLikeness else { return 0 }
        guard mayBeElsewhere else {
            let thrownUp = max(LegThresholds.leastPedalOpposition - swingOpposition, 0)
            return LegThresholds.slope * (LegThresholds.opposite - halfNormShare - thrownUp)
        }
        let hearsFeet =
            features.normRoughness > LegThresholds.footRoughness * sineRoughness
            && features.normDeviation > LegThresholds.footDeviation
        return hearsFeet ? -1 : LegThresholds.slope * (LegThresholds.armOpposite - halfNormShare)
    }

    /// Whether |a| changes by more than a walking body rises and falls at this rate.
    private func isBeyondBody(_ features: SignalFeatures) -> Bool {
        features.normDeviation > LegThresholds.highestRise * rate * rate
    }

    /// The same at a pace at which nobody runs and steps are not few.
    private func isBeyondWalk(_ features: SignalFeatures) -> Bool {
        StepThresholds.walkingRates.lowerBound < rate && rate < RunThresholds.rate
            && features.normDeviation < RunThresholds.flightNormDeviation && isBeyondBody(features)
    }

    /// Whether what repeats itself as quickly as the steps of a run may be a pedal that turns: a gyroscope would
    /// know, a runner's thigh swings once in two of them, and a trunk flies. Where the sensor may be elsewhere a gyroscope
    /// must tell of a leg: nothing else turns as far so often, but a runner's thigh, whose body bounces.
    private func mayTurnFast(_ features: SignalFeatures, mayBeElsewhere: Bool) -> Bool {
        guard !mayBeElsewhere else {
            return features.hasTurning && features.turningDeviation > LegThresholds.legAngle * 2 * .pi * rate
                && normOpposition < LegThresholds.mostQuickPedalNormOpposition
        }
        return !features.hasTurning && (isOnLeg || features.normDeviation < RunThresholds.flightNormDeviation)
    }
}
