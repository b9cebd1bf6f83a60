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
            isPedalling: revolutions.isOpen)
    }
}
