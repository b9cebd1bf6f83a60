/// Counts crank revolutions: with a sensor on the bike, or with one on whoever pedals.
struct RevolutionCounter {
    /// Of the two, only the one that the device needs is there.
    private(set) var crank: CrankCounter?
    private(set) var rider: RiderCounter?

    init(isOnBike: Bool) {
        if isOnBike { crank = CrankCounter() } else { rider = RiderCounter() }
    }

    var isOpen: Bool { crank?.isOpen ?? rider?.isOpen ?? false }

    /// Revolutions a second.
    var rate: Float { crank?.rate ?? rider?.rate ?? 0 }

    /// How likely the cadence is right.
    var confidence: Float { crank?.confidence ?? rider?.confidence ?? 0 }

    mutating func push(shortDeviation: Float, tick: Int64) {
        rider?.push(shortDeviation: shortDeviation, tick: tick)
    }

    /// Takes a tick's angular velocity, of a bike.
    @inline(__always)
    mutating func push(angularVelocity: SIMD4<Float>) {
        crank?.spin.push(angularVelocity)
    }

    /// Looks for the period, in how similar the last moments of a bike are to their past or the last seconds of a person,
    /// and counts.
    mutating func evaluate(
        curve: LagCurve, front: SignalFront, features: SignalFeatures, into events: inout MotionEvents
    ) {
        crank?.evaluate(curve: curve, front: front, features: features, into: &events)
        rider?.evaluate(curve: curve, features: features, into: &events)
    }

    /// Takes the similarity of the magnetic field at each lag, on a bike; nil where it says nothing.
    mutating func hear(field curve: LagCurve?) {
        if let curve { crank?.hear(field: curve) } else { crank?.hearNoField() }
    }

    /// Goes on through a moment in which a person's gesture hides the pedalling; closes when it lasts.
    mutating func bridge(_ features: SignalFeatures, into events: inout MotionEvents) {
        rider?.bridge(features, into: &events)
    }

    /// Ends a bout: what was pedalled is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        crank?.close(at: features.timeMicroseconds, into: &events)
        rider?.close(features, into: &events)
    }

    /// Ends a bout because the signal ends here.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        crank?.settle(at: timeMicroseconds, into: &events)
        rider?.settle(at: timeMicroseconds, into: &events)
    }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        crank?.exclude(until: timeMicroseconds)
        rider?.exclude(until: timeMicroseconds)
    }

    /// Forgets the time until which revolutions are counted (after the clock was set back).
    mutating func rebase() {
        crank?.rebase()
        rider?.rebase()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        crank?.transfer(&coder)
        rider?.transfer(&coder)
    }
}
