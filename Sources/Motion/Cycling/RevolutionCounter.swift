/// Counts crank revolutions: with a sensor on the bike, or with one on whoever pedals.
struct RevolutionCounter {
    private let isOnBike: Bool
    /// Only the one that the device needs is written to: the other one shares its memory with those of all devices. An
    /// optional would be copied whole each time that it is asked whether it is there.
    private var crank: CrankCounter
    private var rider: RiderCounter

    private static let unusedCrank = CrankCounter()
    private static let unusedRider = RiderCounter(placement: .unknown)

    init(isOnBike: Bool, placement: Placement) {
        self.isOnBike = isOnBike
        crank = isOnBike ? CrankCounter() : Self.unusedCrank
        rider = isOnBike ? Self.unusedRider : RiderCounter(placement: placement)
    }

    /// The same for a sensor that turns out to be on a bike, or on a person, when what happened until a time is
    /// counted: nothing is counted twice, and what was pedalled since it began is counted once it is known how fast.
    func turned(isOnBike: Bool, countedThrough: Int64, now: Int64) -> RevolutionCounter {
        var counter = RevolutionCounter(isOnBike: isOnBike, placement: .unknown)
        let through = max(countedThrough, isOnBike ? rider.integrator.time : crank.integrator.time)
        counter.exclude(until: through)
        if isOnBike {
            counter.crank.begun = rider.rise.onset(fallbackSteps: MovementEnvelope.count, before: now)
        }
        return counter
    }

    /// Goes on with a sensor on a person that turns out to sit elsewhere.
    mutating func move(to placement: Placement) {
        if !isOnBike { rider.move(to: placement) }
    }

    /// The UTC time until which revolutions are counted, µs.
    var countedThrough: Int64 { isOnBike ? crank.integrator.time : rider.integrator.time }

    // Inlined, because a call would copy both counters.
    @inline(__always)
    var isOpen: Bool { isOnBike ? crank.isOpen : rider.isOpen }

    /// Whether a bike's period is heard so clearly that little noise can be beside it.
    @inline(__always)
    var isClear: Bool { isOnBike && crank.isClear }

    /// Whether a cadence is told.
    @inline(__always)
    var isTold: Bool { isOnBike ? crank.isTold : rider.isTold }

    /// Revolutions a second.
    @inline(__always)
    var rate: Float { isOnBike ? crank.rate : rider.rate }

    /// The rate that a person has pedalled for a while, a second; 0 where none has.
    @inline(__always)
    var settledRate: Float { isOnBike ? 0 : rider.settledRate }

    /// The same, or the one that was pedalled for longer a short while ago.
    @inline(__always)
    var rememberedRate: Float { isOnBike ? 0 : rider.rememberedRate }

    /// The rate of the line that is found on a bike, Hz, which may be that of whole revolutions or of half ones; 0
    /// without one.
    var lineRate: Float { isOnBike && crank.isOpen ? crank.lineRate : 0 }

    /// What a person moved of late.
    @inline(__always)
    var movement: MovementEnvelope { rider.rise }

    /// How likely the cadence is right.
    @inline(__always)
    var confidence: Float { isOnBike ? crank.confidence : rider.confidence }

    mutating func push(shortDeviation: Float, tick: Int64) {
        if !isOnBike { rider.push(shortDeviation: shortDeviation, tick: tick) }
    }

    /// Takes a tick's angular velocity, of a bike.
    @inline(__always)
    mutating func push(angularVelocity: SIMD4<Float>) {
        crank.spin.push(angularVelocity)
    }

    /// Looks for the period, in how similar the last moments of a bike are to their past or the last seconds of a
    /// person, and counts.
    mutating func evaluate(
        curve: LagCurve, front: inout SignalFrontEnd, features: SignalFeatures, into events: inout MotionEvents
    ) {
        if isOnBike {
            crank.evaluate(curve: curve, front: &front, features: features, into: &events)
        } else {
            rider.evaluate(curve: curve, features: features, into: &events)
        }
    }

    /// Takes the similarity of the magnetic field at each lag, on a bike; nil where it says nothing.
    mutating func hear(field curve: LagCurve?) {
        if let curve { crank.hear(field: curve) } else { crank.hearNoField() }
    }

    /// Goes on through a moment in which a person's gesture hides the pedalling; closes when it lasts.
    mutating func bridge(_ features: SignalFeatures, into events: inout MotionEvents) {
        if !isOnBike { rider.bridge(features, into: &events) }
    }

    /// A person has walked, and got off: the next bout must prove itself as the first one did.
    mutating func forgetPeriod() {
        if !isOnBike { rider.forgetPeriod() }
    }

    /// Ends a bout: what was pedalled is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOnBike {
            crank.close(at: features.timeMicroseconds, into: &events)
        } else {
            rider.close(features, into: &events)
        }
    }

    /// Ends a bout because the signal ends here.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOnBike {
            crank.settle(at: timeMicroseconds, into: &events)
        } else {
            rider.settle(at: timeMicroseconds, into: &events)
        }
    }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        if isOnBike {
            crank.exclude(until: timeMicroseconds)
        } else {
            rider.exclude(until: timeMicroseconds)
        }
    }

    /// Forgets the time until which revolutions are counted (after the clock was set back).
    mutating func rebase() {
        if isOnBike {
            crank.rebase()
        } else {
            rider.rebase()
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        if isOnBike {
            crank.transfer(&coder)
        } else {
            rider.transfer(&coder)
        }
    }
}

/// Counts the revolutions of one bout: found periods are summed, and credited as whole or half revolutions once it is
/// settled which they are. What was credited is never taken back; what was too much is left out later.
struct RevolutionTally {
    /// Periods since the bout began, and revolutions credited of them.
    private var cycles: Double = 0
    private var credited: Double = 0
    private static let most: Double = 1e9

    var isEmpty: Bool { cycles == 0 }

    mutating func add(_ more: Double) {
        cycles = min(cycles + max(more, 0), Self.most)
    }

    /// Credits until a time what a number of revolutions a period makes.
    mutating func credit(
        share: Double, until end: Int64, _ integrator: inout PhaseIntegrator, into events: inout MotionEvents
    ) {
        let due = cycles * share - credited
        let start = max(integrator.time, end - PhaseIntegrator.creditMicroseconds)
        guard due > 0, end > start else {
            integrator.exclude(until: end)
            return
        }
        let seconds = Double(end - start) * 1e-6
        let rate = Float(min(due / seconds, Self.mostRate))
        integrator.advance(to: end, ratePerSecond: rate, unit: .revolutions, into: &events)
        credited += Double(rate) * seconds
    }

    /// No crank turns faster, revolutions a second; also when much is credited at once.
    private static let mostRate: Double = 10

    /// What is counted so far belongs to the past: another period follows.
    mutating func close() {
        self = RevolutionTally()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&cycles, in: 0...Self.most)
        coder.code(&credited, in: 0...Self.most)
    }
}
