/// What the counter takes of every tick, and of the magnetic field at every evaluation.
extension RevolutionCounter {
    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    /// Takes a tick's angular velocity, of a bike.
    @inline(__always)
    mutating func push(angularVelocity: SIMD4<Float>) {
        spin.push(angularVelocity)
    }

    /// Whether a tick's moment is wanted, and its lag.
    var followsPeriod: Bool { period > 0 }
    var coherenceLag: Int { coherence.lag }

    /// Whether a magnet on the crank is heard, so that its field counts in the moment.
    var hearsMagnet: Bool { field.speaksForHalf }

    /// Takes a tick's moment, of a bike.
    @inline(__always)
    mutating func push(_ moment: SignalFront.Moment) {
        coherence.push(moment)
        harmonics.push(moment.channels)
    }

    /// Takes the similarity of the magnetic field at each lag, on a bike.
    mutating func hear(field curve: LagCurve) {
        field.listen(curve, periodTicks: period)
    }

    /// Takes note that the magnetic field says nothing.
    mutating func hearNoField() {
        field.reset()
    }
}
