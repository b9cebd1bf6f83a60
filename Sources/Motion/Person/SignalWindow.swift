internal import CMotion

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

    /// |a|, x, y, z, the envelope of impacts, and angular velocity in x, y, z, in the units above: a ring of blocks.
    private var rows = [SIMD8<Int16>](repeating: .zero, count: tickCount)
    /// The squares of the rows by channel, for their sums.
    private var squares = [SIMD4<Float>](repeating: .zero, count: tickCount)
    private static let blockCount = tickCount / blockTicks
    /// The newest block in the ring. The one after it is the oldest.
    private var newest = 0

    private var movedFilter = HighPassFilter(
        cutoffsHz: SIMD4(vectorCutoffHz, vectorCutoffHz, vectorCutoffHz, normCutoffHz))
    private var turnedFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: vectorCutoffHz))
    /// Lane 0: |a|, for its impacts.
    private var impactFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: impactCutoffHz))
    /// Lane 0: the envelope.
    private var envelopeFilter = HighPassFilter(cutoffsHz: SIMD4(repeating: normCutoffHz))
    private var impacts = EightFloats()
    private var sensors: SensorSet = []

    /// Stores a tick of the newest block. `acceleration` is x, y, z and |a| in m/s².
    mutating func push(_ acceleration: SIMD4<Float>, _ angularVelocity: SIMD4<Float>, _ live: SensorSet, place: Int) {
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
        let moved = Self.units(movement, Self.movedScales)
        let turned = Self.units(turning, Self.turnedScales)
        rows[newest * Self.blockTicks + place] = SIMD8(
            moved.w, moved.x, moved.y, moved.z, turned.w, turned.x, turned.y, turned.z)
    }

    private static let movedScales = SIMD4(repeating: accelerationScale)
    private static let turnedScales = SIMD4(turningScale, turningScale, turningScale, accelerationScale)
    /// What a unit of each number of a row is worth.
    private static let shares: [Float] =
        Array(repeating: 1 / accelerationScale, count: 5) + Array(repeating: 1 / turningScale, count: 3)

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

    /// The parts of the ring in which blocks lie, counted from the oldest.
    private func parts(_ blocks: Range<Int>) -> (Range<Int>, Range<Int>) {
        let first = (newest + 1 + blocks.lowerBound) % Self.blockCount
        let end = first + blocks.count
        return (first..<min(end, Self.blockCount), 0..<max(end - Self.blockCount, 0))
    }

    /// Writes blocks as rows of floats, m/s² and rad/s; the first is the oldest.
    func expand(_ blocks: Range<Int>, to out: UnsafeMutablePointer<Float>) {
        let (parts, size) = (parts(blocks), Self.blockTicks * EvaluatedWindow.rowFloats)
        rows.withUnsafeBytes { rows in
            guard let rows = rows.baseAddress?.assumingMemoryBound(to: Int16.self) else { return }
            motion_expand(rows + parts.0.lowerBound * size, parts.0.count * Self.blockTicks, Self.shares, out)
            motion_expand(rows, parts.1.count * Self.blockTicks, Self.shares, out + parts.0.count * size)
        }
    }

    /// Squares the rows of a block, counted from the oldest.
    /// - Parameter rows: The block as floats.
    mutating func square(_ block: Int, _ rows: UnsafePointer<Float>) {
        let first = parts(block..<block + 1).0.lowerBound * Self.blockTicks
        squares.withUnsafeMutableBytes { squares in
            guard let squares = squares.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            motion_squares(rows, squares + 4 * first)
        }
    }

    /// Writes the sums of the squares before each row and after the last.
    func cumulate(to sums: UnsafeMutablePointer<Float>) {
        let (parts, size) = (parts(0..<Self.blockCount), Self.blockTicks * 4)
        sums.set(SIMD4<Float>.zero, at: 0)
        squares.withUnsafeBytes { squares in
            guard let squares = squares.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            motion_cumulate(squares + parts.0.lowerBound * size, parts.0.count, sums)
            motion_cumulate(squares, parts.1.count, sums + parts.0.count * size)
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
        for row in rows.indices {
            rows[row] = rows[row] &* SIMD8(0, 0, 0, 0, 0, 1, 1, 1)
            squares[row] *= SIMD4(0, 0, 0, 1)
        }
    }

    /// Drops the oldest block and makes room for the next.
    mutating func shift() {
        newest = newest + 1 < Self.blockCount ? newest + 1 : 0
        for row in newest * Self.blockTicks..<(newest + 1) * Self.blockTicks { rows[row] = .zero }
    }

    mutating func copyRows(_ state: inout StateCopy) {
        state.expect((0..<Self.blockCount).contains(newest))
        state.elements(&rows, rows.indices)
    }
}

/// The rows of a ``SignalWindow`` as floats with cumulative sums of squares, in the memory of an evaluation.
struct EvaluatedWindow {
    /// Floats of a row.
    static let rowFloats = CMotionRowCount
    /// Floats of memory.
    static let memoryCount = SignalWindow.tickCount * rowFloats + 4 * (SignalWindow.tickCount + 1) + lineFloats
    /// Floats of a line of cache, at which rows begin, so that none lies in two.
    private static let lineFloats = 16
    private static let blockCount = SignalWindow.tickCount / SignalWindow.blockTicks
    /// The blocks that every evaluation reads, and those of the longest lag and around the moment. Before them are blocks
    /// that only settled moments reach into.
    private static let newestBlocks = blockCount - 2..<blockCount
    private static let recentBlocks = 10..<blockCount - 2

    /// The rows, m/s² and rad/s, the oldest first.
    let rows: UnsafeMutablePointer<Float>
    private let sums: UnsafeMutablePointer<Float>

    /// Writes the newest rows and all sums.
    /// - Parameter isRestored: Whether no block has been squared, and not the newest alone.
    init(_ window: inout SignalWindow, in memory: UnsafeMutablePointer<Float>, isRestored: Bool = false) {
        let line = UnsafeMutableRawPointer(memory).alignedUp(toMultipleOf: 4 * Self.lineFloats)
        rows = line.assumingMemoryBound(to: Float.self)
        sums = rows + SignalWindow.tickCount * Self.rowFloats
        write(Self.newestBlocks, of: window)
        if isRestored {
            expandRecent(window)
            expandEarlier(window)
        }
        for block in isRestored ? 0..<Self.blockCount : Self.newestBlocks.suffix(1) {
            window.square(block, rows + block * Self.blockFloats)
        }
        window.cumulate(to: sums)
    }

    private static let blockFloats = SignalWindow.blockTicks * rowFloats

    private func write(_ blocks: Range<Int>, of window: borrowing SignalWindow) {
        window.expand(blocks, to: rows + blocks.lowerBound * Self.blockFloats)
    }

    /// Writes the rows that the features need beside the newest.
    func expandRecent(_ window: borrowing SignalWindow) { write(Self.recentBlocks, of: window) }

    /// Writes the rows before these.
    func expandEarlier(_ window: borrowing SignalWindow) { write(0..<Self.recentBlocks.lowerBound, of: window) }

    /// Whether the whole window is below the noise floor: then all curves are 0.
    var isQuiet: Bool {
        let least = Autocorrelation.floors * Float(SignalWindow.tickCount)
        let energy = energy(0..<SignalWindow.tickCount)
        return energy.x < least.x && energy.y < least.y && energy.w < least.w
    }

    /// |a|, x, y and z of a row, m/s².
    @inline(__always)
    func moved(_ row: Int) -> SIMD4<Float> { rows.four(at: row &* Self.rowFloats) }

    /// The sums of squares of |a|, acceleration, envelope and angular velocity over rows.
    @inline(__always)
    func energy(_ rows: Range<Int>) -> SIMD4<Float> {
        sums.four(at: 4 &* rows.upperBound) - sums.four(at: 4 &* rows.lowerBound)
    }

    /// The memory after it.
    var rest: UnsafeMutablePointer<Float> { sums + 4 * (SignalWindow.tickCount + 1) }

    /// The sums before each row and after the last, for the curves.
    var cumulativeSums: UnsafePointer<Float> { UnsafePointer(sums) }
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
