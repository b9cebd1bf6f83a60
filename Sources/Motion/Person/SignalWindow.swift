#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The last 8.4 s of a person's motion at 25 Hz, high-passed: acceleration, its magnitude, the envelope of its impacts
/// and angular velocity.
struct SignalWindow {
    /// Ticks between evaluations: 0.4 s, a fast walker's step.
    static let blockTicks = Tick.mostAtOnce
    static let blockSeconds = Float(blockTicks) * Tick.seconds
    /// Ticks in the window, 8.4 s: two of the longest periods before the moment, and the ticks after it.
    static let tickCount = 21 * blockTicks
    /// Cut-off frequencies, Hz, of acceleration and |a|. They remove gravity, which turns with the sensor, and keep the
    /// slowest stride, at 0.22 Hz. In |a| only the sensor's error turns.
    static let vectorCutoffHz: Float = 0.25
    static let normCutoffHz: Float = 0.35
    /// Impacts are the part of |a| above this, Hz.
    static let impactCutoffHz: Float = 3
    /// Ticks over which impacts are averaged: 0.2 s.
    static let envelopeTicks = 5

    /// Units in one m/s² and rad/s: values are stored in 16 bits, which hold the limits of the sample guard.
    private static let accelerationScale: Float = 100
    private static let turningScale: Float = 450

    /// x, y, z and |a| by tick, in units of ``accelerationScale``, the oldest first.
    private var moved = [SIMD4<Int16>](repeating: .zero, count: tickCount)
    /// Angular velocity in x, y, z, and the envelope.
    private var turned = [SIMD4<Int16>](repeating: .zero, count: tickCount)

    private var movedFilter = HighPassFilter(
        cutoffsHz: SIMD4(vectorCutoffHz, vectorCutoffHz, vectorCutoffHz, normCutoffHz))
    private var turnedFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: vectorCutoffHz))
    /// Lane 0: |a|, for its impacts.
    private var impactFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: impactCutoffHz))
    /// Lane 0: the envelope.
    private var envelopeFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: normCutoffHz))
    private var impacts = EightFloats()
    private var sensors: SensorSet = []

    /// Stores a tick. `acceleration` is x, y, z and |a| in m/s².
    mutating func push(_ acceleration: SIMD4<Float>, _ angularVelocity: SIMD4<Float>, _ live: SensorSet, row: Int) {
        if live.subtracting(sensors) != [] { prime(acceleration, angularVelocity, live.subtracting(sensors)) }
        sensors = live
        var (movement, turning) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        if live.contains(.acceleration) {
            movement = movedFilter.filter(acceleration)
            let impact = abs(impactFilter.filter(SIMD4(acceleration.w, 0, 0, 0)).x)
            let newest = SIMD8(impact, impacts[0], impacts[1], impacts[2], impacts[3], 0, 0, 0)
            impacts.vector = newest
            turning.w = envelopeFilter.filter(SIMD4(newest.sum() / Float(Self.envelopeTicks), 0, 0, 0)).x
        }
        if live.contains(.angularVelocity) {
            let turn = turnedFilter.filter(angularVelocity)
            turning = SIMD4(turn.x, turn.y, turn.z, turning.w)
        }
        moved[row] = Self.units(movement, Self.movedScales)
        turned[row] = Self.units(turning, Self.turnedScales)
    }

    private static let movedScales = SIMD4(repeating: accelerationScale)

    private static let turnedScales = SIMD4(turningScale, turningScale, turningScale, accelerationScale)

    /// 1.5 · 2²³.
    private static let wholeNumbers: Float = 12_582_912

    private static func units(_ value: SIMD4<Float>, _ scales: SIMD4<Float>) -> SIMD4<Int16> {
        let largest = SIMD4<Float>(repeating: Float(Int16.max))
        var units = value * scales
        units.replace(with: largest, where: units .> largest)
        units.replace(with: -largest, where: units .< -largest)
        // At this magnitude a Float has no fraction: the sum is rounded, and its low bits are the whole number.
        let bits = unsafeBitCast(units + wholeNumbers, to: SIMD4<UInt32>.self)
        return SIMD4<Int16>(truncatingIfNeeded: bits)
    }

    /// Writes the rows as numbers, in m/s² and rad/s.
    func expand(into rows: EvaluatedWindow) {
        let (movedShare, turnedShare) = (1 / Self.movedScales, 1 / Self.turnedScales)
        moved.withUnsafeBufferPointer { moved in
            turned.withUnsafeBufferPointer { turned in
                for row in 0..<Self.tickCount {
                    rows.moved[row] = SIMD4<Float>(moved[row]) * movedShare
                    rows.turned[row] = SIMD4<Float>(turned[row]) * turnedShare
                }
            }
        }
    }

    private mutating func prime(_ acceleration: SIMD4<Float>, _ angularVelocity: SIMD4<Float>, _ new: SensorSet) {
        if new.contains(.acceleration) {
            movedFilter.prime(acceleration)
            impactFilter.prime(SIMD4(acceleration.w, 0, 0, 0))
            envelopeFilter.prime(.zero)
            impacts = EightFloats()
        }
        if new.contains(.angularVelocity) { turnedFilter.prime(angularVelocity) }
    }

    /// Restarts the filters of the acceleration at its next tick.
    mutating func forgetAcceleration() {
        sensors.remove(.acceleration)
        for row in 0..<Self.tickCount {
            moved[row] = .zero
            turned[row].w = 0
        }
    }

    /// Drops the oldest block and makes room for the next.
    mutating func shift() {
        let kept = Self.tickCount - Self.blockTicks
        Self.shift(&moved, kept: kept)
        Self.shift(&turned, kept: kept)
    }

    private static func shift(_ rows: inout [SIMD4<Int16>], kept: Int) {
        rows.withUnsafeMutableBufferPointer { rows in
            guard let first = rows.baseAddress else { return }
            first.update(from: first + blockTicks, count: kept)
            (first + kept).update(repeating: .zero, count: blockTicks)
        }
    }

    mutating func copyRows(_ state: inout StateCopy) {
        state.elements(&moved, moved.indices)
        state.elements(&turned, turned.indices)
    }
}

/// The rows of a ``SignalWindow`` as floats with cumulative sums of squares, in the memory of an evaluation.
struct EvaluatedWindow {
    /// Vectors of memory.
    static let memoryCount = 3 * SignalWindow.tickCount + 1

    /// x, y, z and |a|, m/s², the oldest first.
    let moved: UnsafeMutableBufferPointer<SIMD4<Float>>
    /// Angular velocity in x, y, z, rad/s, and the envelope, m/s².
    let turned: UnsafeMutableBufferPointer<SIMD4<Float>>
    private let squares: UnsafeMutableBufferPointer<SIMD4<Float>>

    init(_ window: borrowing SignalWindow, in memory: UnsafeMutableBufferPointer<SIMD4<Float>>) {
        let count = SignalWindow.tickCount
        moved = UnsafeMutableBufferPointer(rebasing: memory[..<count])
        turned = UnsafeMutableBufferPointer(rebasing: memory[count..<2 * count])
        squares = UnsafeMutableBufferPointer(rebasing: memory[2 * count...3 * count])
        window.expand(into: self)
        var sum = SIMD4<Float>.zero
        squares[0] = sum
        for row in 0..<count {
            sum += Self.channels(moved[row] * moved[row], turned[row] * turned[row])
            squares[row &+ 1] = sum
        }
    }

    /// The four channels |a|, acceleration, envelope and angular velocity, from products of (x, y, z, |a|) and of (x,
    /// y, z, envelope).
    @inline(__always)
    static func channels(_ moved: SIMD4<Float>, _ turned: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(moved.w, moved.x + moved.y + moved.z, turned.w, turned.x + turned.y + turned.z)
    }

    /// The sums of squares of |a|, acceleration, envelope and angular velocity over rows.
    @inline(__always)
    func energy(_ rows: Range<Int>) -> SIMD4<Float> { energy(from: rows.lowerBound, to: rows.upperBound) }

    /// The same of rows that are known to be in order.
    @inline(__always)
    func energy(from start: Int, to end: Int) -> SIMD4<Float> { squares[end] - squares[start] }
}

/// A Butterworth high-pass of second order for four channels at 25 Hz, in the transposed direct form II
/// (A. V. Oppenheim and R. W. Schafer, "Discrete-Time Signal Processing", section 6.3).
struct HighPassFilter {
    private let gain: SIMD4<Float>
    private let feedback: (SIMD4<Float>, SIMD4<Float>)
    private var memory: (SIMD4<Float>, SIMD4<Float>) = (.zero, .zero)

    init(cutoffsHz: SIMD4<Float>) {
        var (gain, first, second) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        for lane in 0..<4 {
            let k = tan(Float.pi * cutoffsHz[lane] / Float(Tick.rateHz))
            let norm = 1 / (1 + Float(2).squareRoot() * k + k * k)
            gain[lane] = norm
            first[lane] = 2 * (k * k - 1) * norm
            second[lane] = (1 - Float(2).squareRoot() * k + k * k) * norm
        }
        self.gain = gain
        feedback = (first, second)
    }

    /// Begins in the steady state of a constant input.
    mutating func prime(_ input: SIMD4<Float>) {
        memory = (-gain * input, gain * input)
    }

    mutating func filter(_ input: SIMD4<Float>) -> SIMD4<Float> {
        let fed = gain * input
        let output = fed + memory.0
        memory.0 = memory.1 - 2 * fed - feedback.0 * output
        memory.1 = fed - feedback.1 * output
        return output
    }
}
