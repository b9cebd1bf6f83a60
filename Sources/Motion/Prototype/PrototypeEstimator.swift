/// Cadence from the peaks of one axis, tuned by hand: low-pass, quantise, count local maxima in a window of 5 s at 30
/// Hz.
///
/// The rule for counting: the machine starts every window *ascending* with *last* = 0. For each value: smaller than
/// *last* while ascending counts a maximum and turns to descending; greater than *last* turns to ascending; equal
/// changes nothing. *last* then becomes the value. So a signal that never leaves 0 has no maximum, one that starts
/// below 0 has one at once, one that starts above 0 and falls has one, too, and the end of a window never counts.
public struct PrototypeEstimator: Sendable, Equatable {
    /// Values a second.
    public static let sampleRateHz = 30
    /// The window's length, s.
    public static let windowSeconds = 5
    /// The most values in a window.
    public static let windowCapacity = 150
    /// The window is evaluated each time this many values have come.
    public static let evaluationInterval = 30

    /// The settings in force.
    public let settings: Settings
    /// Revolutions a minute at the newest evaluation.
    public private(set) var cadenceRPM: Float = 0

    private var filtered: Float = 0
    private var isPrimed = false
    /// Quantised values as a ring; the oldest is at `next` once full.
    private var window: [Int32] = Array(repeating: 0, count: windowCapacity)
    private var next = 0
    private var filled = 0
    private var sinceEvaluation = 0

    /// A fresh estimator.
    public init(settings: Settings) {
        self.settings = settings
    }

    /// Takes the next value of the axis at 30 Hz. True when the window was evaluated.
    @discardableResult
    public mutating func process(_ value: Float) -> Bool {
        filtered = isPrimed ? settings.factor * filtered + (1 - settings.factor) * value : value
        isPrimed = true
        window[next] = Self.quantise(filtered, levels: settings.levels)
        next = (next + 1) % Self.windowCapacity
        filled = min(filled + 1, Self.windowCapacity)
        sinceEvaluation += 1
        guard sinceEvaluation == Self.evaluationInterval else { return false }
        sinceEvaluation = 0
        cadenceRPM = Float(countWindow() * 60) / Float(Self.windowSeconds)
        return true
    }

    /// Truncates `value · levels` towards zero. What is not finite or does not fit becomes 0 or the nearest value.
    public static func quantise(_ value: Float, levels: Int) -> Int32 {
        let scaled = (value * Float(levels)).rounded(.towardZero)
        guard scaled.isFinite else { return 0 }
        return Int32(min(max(scaled, -1e9), 1e9))
    }

    /// Counts the local maxima of a window by the rule above.
    public static func countMaxima(_ values: some Sequence<Int32>) -> Int {
        var machine = MaximaMachine()
        for value in values {
            machine.take(value)
        }
        return machine.maxima
    }

    /// The maxima of the window now, oldest value first.
    private func countWindow() -> Int {
        var machine = MaximaMachine()
        let oldest = filled < Self.windowCapacity ? 0 : next
        for offset in 0..<filled {
            machine.take(window[(oldest + offset) % Self.windowCapacity])
        }
        return machine.maxima
    }

    /// Forgets the signal.
    public mutating func reset() {
        self = PrototypeEstimator(settings: settings)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&cadenceRPM)
        coder.code(&filtered)
        coder.code(&isPrimed)
        for index in 0..<Self.windowCapacity {
            var bits = UInt64(UInt32(bitPattern: window[index]))
            coder.code(bits: &bits, byteCount: 4)
            window[index] = Int32(bitPattern: UInt32(truncatingIfNeeded: bits))
        }
        coder.code(&next, in: 0...(Self.windowCapacity - 1))
        coder.code(&filled, in: 0...Self.windowCapacity)
        coder.code(&sinceEvaluation, in: 0...(Self.evaluationInterval - 1))
    }
}

/// The rule's state: what one window's values do, one after the other.
private struct MaximaMachine {
    private var isAscending = true
    private var last: Int32 = 0
    private(set) var maxima = 0

    mutating func take(_ value: Int32) {
        if value < last, isAscending {
            maxima += 1
            isAscending = false
        } else if value > last {
            isAscending = true
        }
        last = value
    }
}
