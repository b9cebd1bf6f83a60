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

    private var memory = FilterMemory()
    private var sensors: SensorSet = []

    /// Stores ticks of the newest block.
    mutating func push(_ ticks: UnsafeMutableBufferPointer<Tick>) {
        guard let first = ticks.first else { return }
        let new = first.sensors.subtracting(sensors)
        if !new.isEmpty { memory.begin(new, at: first) }
        sensors = first.sensors
        let row = newest * Self.blockTicks + first.place
        withUnsafePointer(to: Self.filters) { filters in
            withUnsafeMutableBytes(of: &memory) { memory in
                rows.withUnsafeMutableBytes { rows in
                    guard let tick = UnsafeRawPointer(ticks.baseAddress), let rows = rows.baseAddress else { return }
                    motion_filter(
                        (tick + Tick.accelerationOffset).assumingMemoryBound(to: Float.self),
                        (tick + Tick.angularVelocityOffset).assumingMemoryBound(to: Float.self),
                        MemoryLayout<Tick>.stride / MemoryLayout<Float>.stride, ticks.count,
                        sensors.contains(.acceleration) ? 1 : 0, sensors.contains(.angularVelocity) ? 1 : 0, filters,
                        memory.baseAddress?.assumingMemoryBound(to: motion_filter_memory.self),
                        rows.assumingMemoryBound(to: Int16.self) + row * EvaluatedWindow.rowFloats)
                }
            }
        }
    }

    fileprivate static let filters = motion_filters(
        cutoffsHz: [normCutoffHz, vectorCutoffHz, vectorCutoffHz, vectorCutoffHz, normCutoffHz]
            + Array(repeating: vectorCutoffHz, count: 3),
        scales: Array(repeating: accelerationScale, count: 5) + Array(repeating: turningScale, count: 3))

    /// What a unit of each number of a row is worth.
    private static let shares: [Float] =
        Array(repeating: 1 / accelerationScale, count: 5) + Array(repeating: 1 / turningScale, count: 3)

    /// The parts of the ring in which blocks lie, counted from the oldest.
    private func parts(_ blocks: Range<Int>) -> (Range<Int>, Range<Int>) {
        let place = newest + 1 + blocks.lowerBound
        let first = place < Self.blockCount ? place : place - Self.blockCount
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

/// The memory of the filters, as `motion_filter_memory` has it.
private struct FilterMemory {
    private var rows = (EightFloats(), EightFloats())
    private var impact = SIMD4<Float>.zero
    private var impacts = SIMD4<Float>.zero

    /// Begins the filters of new sensors in the steady state of a constant input.
    mutating func begin(_ new: SensorSet, at tick: Tick) {
        let (acceleration, turning, gain) = (tick.acceleration, tick.angularVelocity, SignalWindow.filters.gain)
        func set(_ lane: Int, _ input: Float) { (rows.0[lane], rows.1[lane]) = (-input, input) }
        if new.contains(.acceleration) {
            set(0, gain.0 * acceleration.w)
            for axis in 0..<3 { set(1 + axis, gain.1 * acceleration[axis]) }
            set(4, 0)
            let input = SignalWindow.filters.impact_gain * acceleration.w
            (impact, impacts) = (SIMD4(-input, input, 0, 0), .zero)
        }
        if new.contains(.angularVelocity) {
            for axis in 0..<3 { set(5 + axis, gain.5 * turning[axis]) }
        }
    }
}

extension motion_filters {
    /// Butterworth high-passes of second order at 25 Hz, in the transposed direct form II (A. V. Oppenheim and R. W.
    /// Schafer, "Discrete-Time Signal Processing", section 6.3).
    fileprivate init(cutoffsHz: [Float], scales: [Float]) {
        self.init()
        func numbers(_ cutoffHz: Float) -> (gain: Float, first: Float, second: Float) {
            let k = tan(Float.pi * cutoffHz / Float(Tick.rateHz))
            let norm = 1 / (1 + Float(2).squareRoot() * k + k * k)
            return (norm, 2 * (k * k - 1) * norm, (1 - Float(2).squareRoot() * k + k * k) * norm)
        }
        func fill<Lanes>(_ lanes: inout Lanes, _ numbers: [Float]) {
            withUnsafeMutableBytes(of: &lanes) { lanes in numbers.withUnsafeBytes { lanes.copyMemory(from: $0) } }
        }
        let rows = cutoffsHz.map(numbers)
        fill(&gain, rows.map(\.gain))
        fill(&feedback.0, rows.map(\.first))
        fill(&feedback.1, rows.map(\.second))
        fill(&self.scales, scales)
        let impact = numbers(SignalWindow.impactCutoffHz)
        (impact_gain, impact_feedback) = (impact.gain, (impact.first, impact.second))
    }
}
