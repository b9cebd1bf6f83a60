/// Cadence from the peaks of one axis, tuned by hand: low-pass, quantise, count local maxima in a window of 5 s at 30
/// Hz.
///
/// The rule for counting: the machine starts every window *ascending* with *last* = 0. For each value: smaller than
/// *last* while ascending counts a maximum and turns to descending; greater than *last* turns to ascending; equal
/// changes nothing. *last* then becomes the value. So a signal that never leaves 0 has no maximum, one that starts
/// below 0 has one at once, one that starts above 0 and falls has one, too, and the end of a window never counts.
public struct PrototypeEstimator: Sendable, Equatable {
    /// The window's length, s.
    public static let windowSeconds = 5
    /// The most values in a window.
    public static let windowCapacity = 150
    /// Values from one evaluation of the window to the next.
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

    /// A new estimator.
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

    /// Truncates `value · levels` towards zero. NaN becomes 0, and values out of range the nearest one.
    public static func quantise(_ value: Float, levels: Int) -> Int32 {
        let scaled = (value * Float(levels)).rounded(.towardZero)
        guard scaled.isFinite else { return 0 }
        return Int32(min(max(scaled, -1e9), 1e9))
    }

    /// Counts the local maxima of a window by the rule above.
    public static func countMaxima(_ values: some Sequence<Int32>) -> Int {
        var (isAscending, last, maxima) = (true, Int32(0), 0)
        for value in values {
            if value < last, isAscending {
                maxima += 1
                isAscending = false
            } else if value > last {
                isAscending = true
            }
            last = value
        }
        return maxima
    }

    /// The maxima of the window now, oldest value first.
    private func countWindow() -> Int {
        let oldest = filled < Self.windowCapacity ? 0 : next
        return Self.countMaxima((0..<filled).lazy.map { window[(oldest + $0) % Self.windowCapacity] })
    }

    /// Forgets the signal.
    public mutating func reset() {
        self = PrototypeEstimator(settings: settings)
    }

    /// Whether restored places lie in the window.
    var isSound: Bool {
        next < Self.windowCapacity && filled <= Self.windowCapacity && sinceEvaluation < Self.evaluationInterval
    }

    mutating func copyWindow(_ state: inout StateCopy) {
        state.elements(&window, window.indices)
    }
}

extension PrototypeEstimator {
    /// The sensor whose axis is counted.
    public enum Sensor: UInt8, Sendable, CaseIterable {
        /// m/s²
        case acceleration
        /// rad/s
        case angularVelocity
        /// µT
        case magneticField
    }

    /// The axis that is counted.
    public enum Axis: UInt8, Sendable, CaseIterable {
        /// The sensor's x axis.
        case x
        /// The sensor's y axis.
        case y
        /// The sensor's z axis.
        case z
    }

    /// Settings that are refused.
    public enum SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The low-pass factor is not in 0.75…1.
        case factorOutOfRange(Float)
        /// The quantisation is not in 1…600.
        case levelsOutOfRange(Int)

        /// The error and its remedy, in a line.
        public var description: String {
            switch self {
            case .factorOutOfRange(let value): "low-pass factor f is \(value): choose 0.75 to 1"
            case .levelsOutOfRange(let value): "quantisation q is \(value): choose 1 to 600"
            }
        }
    }

    /// The numbers that are tuned for a bike.
    public struct Settings: Sendable, Equatable {
        /// Low-pass factors allowed.
        public static let factorRange: ClosedRange<Float> = 0.75...1
        /// Quantisations allowed.
        public static let levelsRange = 1...600

        /// The sensor read.
        public let sensor: Sensor
        /// The axis read.
        public let axis: Axis
        /// The low-pass factor `f` of `y = f·last + (1 − f)·new`.
        public let factor: Float
        /// The quantisation `q`: values are truncated after multiplying by it.
        public let levels: Int

        /// Checks and makes settings.
        public init(sensor: Sensor, axis: Axis, factor: Float, levels: Int) throws(SettingsError) {
            guard Self.factorRange.contains(factor) else { throw .factorOutOfRange(factor) }
            guard Self.levelsRange.contains(levels) else { throw .levelsOutOfRange(levels) }
            self.init(allowed: (sensor, axis, factor, levels))
        }

        private init(allowed: (sensor: Sensor, axis: Axis, factor: Float, levels: Int)) {
            (sensor, axis, factor, levels) = allowed
        }

        /// The place of restored settings before they are read.
        static let unread = Self(allowed: (.acceleration, .x, factorRange.lowerBound, levelsRange.lowerBound))

        /// Whether restored settings are in range.
        var isSound: Bool { Self.factorRange.contains(factor) && Self.levelsRange.contains(levels) }
    }
}

/// Resamples the signal to 30 Hz by linear interpolation, feeds the rule, and integrates its cadence.
struct PrototypeCounter {
    private(set) var estimator: PrototypeEstimator
    private var integrator = PhaseIntegrator()
    private var lastTime: Int64 = -1
    private var lastValue: Float = 0
    /// The index of the next value at 30 Hz since 1970.
    private var nextIndex: Int64 = 0

    init(settings: PrototypeEstimator.Settings) {
        estimator = PrototypeEstimator(settings: settings)
    }

    mutating func process(_ sample: MotionSample, into events: inout MotionEvents) {
        guard let value = value(sample) else { return }
        let time = sample.timeMicroseconds
        guard lastTime >= 0 else {
            lastTime = time
            lastValue = value
            nextIndex = Self.index(atOrAfter: time)
            integrator.start(at: time)
            feed(until: time, value, from: time, into: &events)
            return
        }
        feed(until: time, value, from: lastTime, into: &events)
        lastTime = time
        lastValue = value
    }

    private mutating func feed(until time: Int64, _ value: Float, from start: Int64, into events: inout MotionEvents) {
        nextIndex = max(nextIndex, Self.index(atOrAfter: max(start, time - PhaseIntegrator.mostMicroseconds)))
        while Self.time(of: nextIndex) <= time {
            let at = Self.time(of: nextIndex)
            let fraction = time > start ? Float(at - start) / Float(time - start) : 1
            integrator.advance(
                to: at, ratePerSecond: estimator.cadenceRPM / 60, into: &events)
            estimator.process(lastValue + (value - lastValue) * fraction)
            nextIndex += 1
        }
    }

    private func value(_ sample: MotionSample) -> Float? {
        let vector: SIMD3<Float>
        switch estimator.settings.sensor {
        case .acceleration where sample.sensors.contains(.acceleration): vector = sample.acceleration
        case .angularVelocity where sample.sensors.contains(.angularVelocity): vector = sample.angularVelocity
        case .magneticField where sample.sensors.contains(.magneticField): vector = sample.magneticField
        default: return nil
        }
        switch estimator.settings.axis {
        case .x: return vector.x
        case .y: return vector.y
        case .z: return vector.z
        }
    }

    private static func index(atOrAfter time: Int64) -> Int64 { (time * 3 + 99_999) / 100_000 }

    private static func time(of index: Int64) -> Int64 { index * 100_000 / 3 }

    mutating func reset() {
        estimator.reset()
        lastTime = -1
        lastValue = 0
    }

    mutating func rebase() {
        reset()
        integrator.reset()
    }

    mutating func copy(_ state: inout StateCopy) {
        state.part(&self)
        state.expect(estimator.isSound && integrator.isSound)
        state.expect(nextIndex <= Self.index(atOrAfter: SampleGuard.latestMicroseconds))
        estimator.copyWindow(&state)
    }
}
