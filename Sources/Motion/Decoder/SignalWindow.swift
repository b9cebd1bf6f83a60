#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The last 8.4 s of a person's motion at 25 Hz, high-passed: acceleration, its magnitude, the envelope of its impacts
/// and angular velocity.
struct SignalWindow {
    /// Ticks between evaluations: 0.4 s.
    static let blockTicks = Tick.mostAtOnce
    /// Ticks in the window.
    static let tickCount = 21 * blockTicks

    /// Cut-off frequencies, Hz: below them gravity turns with the sensor. |a| does not turn, but a sensor's error does.
    private static let vectorCutoffHz: Float = 0.25
    private static let normCutoffHz: Float = 0.35
    /// Above this, Hz, |a| is what impacts leave.
    private static let impactCutoffHz: Float = 3
    /// Ticks over which impacts are averaged: 0.2 s.
    private static let envelopeTicks = 5
    /// What one unit of a stored value is, 1/m·s² and 1/rad·s: the window is saved in 16 bits a value, and holds what was
    /// saved. The limits of the sample guard fit.
    private static let accelerationScale: Float = 100
    private static let turningScale: Float = 450

    /// x, y, z and |a| by tick, m/s², the oldest first.
    private(set) var moved = [SIMD4<Float>](repeating: .zero, count: tickCount)
    /// Angular velocity in x, y, z, rad/s, and the envelope, m/s².
    private(set) var turned = [SIMD4<Float>](repeating: .zero, count: tickCount)

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
    mutating func push(_ acceleration: SIMD4<Float>, _ angularVelocity: SIMD4<Float>, _ heard: SensorSet, row: Int) {
        if heard.subtracting(sensors) != [] { prime(acceleration, angularVelocity, heard.subtracting(sensors)) }
        sensors = heard
        var (movement, turning) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        if heard.contains(.acceleration) {
            movement = movedFilter.filter(acceleration)
            let impact = abs(impactFilter.filter(SIMD4(acceleration.w, 0, 0, 0)).x)
            let newest = SIMD8(impact, impacts[0], impacts[1], impacts[2], impacts[3], 0, 0, 0)
            impacts.vector = newest
            turning.w = envelopeFilter.filter(SIMD4(newest.sum() / Float(Self.envelopeTicks), 0, 0, 0)).x
        }
        if heard.contains(.angularVelocity) {
            let turn = turnedFilter.filter(angularVelocity)
            turning = SIMD4(turn.x, turn.y, turn.z, turning.w)
        }
        moved[row] = Self.rounded(movement, SIMD4(repeating: Self.accelerationScale))
        turned[row] = Self.rounded(turning, Self.turnedScales)
    }

    private static let turnedScales = SIMD4(turningScale, turningScale, turningScale, accelerationScale)

    /// 1.5 · 2²³.
    private static let wholeNumbers: Float = 12_582_912

    private static func rounded(_ value: SIMD4<Float>, _ scales: SIMD4<Float>) -> SIMD4<Float> {
        let largest = SIMD4<Float>(repeating: Float(Int16.max))
        var units = value * scales
        units.replace(with: largest, where: units .> largest)
        units.replace(with: -largest, where: units .< -largest)
        // A sum in which one is the least that a Float can hold is rounded to the nearest whole number.
        return (units + wholeNumbers - wholeNumbers) / scales
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

    /// Begins the filters of the acceleration anew with its next tick.
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

    private static func shift(_ rows: inout [SIMD4<Float>], kept: Int) {
        rows.withUnsafeMutableBufferPointer { rows in
            guard let first = rows.baseAddress else { return }
            first.update(from: first + blockTicks, count: kept)
            (first + kept).update(repeating: .zero, count: blockTicks)
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for row in 0..<Self.tickCount {
            coder.code(&moved[row], scales: SIMD4(repeating: Self.accelerationScale))
            coder.code(&turned[row], scales: Self.turnedScales)
        }
        movedFilter.transfer(&coder)
        turnedFilter.transfer(&coder)
        impactFilter.transfer(&coder)
        envelopeFilter.transfer(&coder)
        for lane in 0..<Self.envelopeTicks { coder.code(&impacts[lane]) }
        coder.code(&sensors)
    }
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

    /// Begins as if the input had been this for ever.
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

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&memory.0)
        coder.code(&memory.1)
    }
}
