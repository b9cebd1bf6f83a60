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
