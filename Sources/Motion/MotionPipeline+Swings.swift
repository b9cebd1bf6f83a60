extension MotionPipeline {
    /// Counts the strides of short bouts that are felt below the knee, unless something else is counted or a road
    /// shakes.
    mutating func evaluateSwings(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard mayHaveSwings, features.hasAcceleration, !features.mayBeShaken else { return }
        let movement = revolutions.movement
        guard SwingTrain.isDue(movement) else { return }
        countSwings(isEnd: false, into: &events)
    }

    /// The same where the signal ends.
    mutating func settleSwings(into events: inout MotionEvents) {
        if mayHaveSwings { countSwings(isEnd: true, into: &events) }
    }

    private var mayHaveSwings: Bool {
        configuration.placement.isBelowKnee && !isPrototype && !isOnBike && !steps.isOpen && !revolutions.isOpen
    }

    private mutating func countSwings(isEnd: Bool, into events: inout MotionEvents) {
        steps.countSwings(revolutions.movement, isEnd: isEnd, into: &events)
        revolutions.exclude(until: steps.countedThrough)
    }
}
