internal import CMotion

/// A moment of 0.4 s whose state is settled, and the window of its movement.
struct SettledMoment {
    static let halfTicks = SignalWindow.blockTicks / 2
    static let microseconds = Int64(SignalWindow.blockTicks) * Tick.microseconds

    let window: EvaluatedWindow
    /// Its middle in the window.
    let row: Int
    let state: Posterior
    let endMicroseconds: Int64
    /// Whether the signal had ended before.
    let isAfterEnd: Bool

    /// The mean square of the acceleration without gravity, (m/s²)².
    var movement: Float {
        window.energy(row - Self.halfTicks..<row + Self.halfTicks).y / Float(SignalWindow.blockTicks)
    }

    /// How many steps or turns of a period the movement makes.
    func cycles(atPlace place: Float, isStep: Bool) -> Float {
        let period = PeriodAxis.seconds(atPlace: place) / Tick.seconds
        guard window.moves(around: row, period: period) else { return 0 }
        return PhaseAdvance.cycles(window, row: row, period: period, isStep: isStep)
    }

    /// When the moment so many before this began, UTC µs, where it has cycles and is not before a time.
    func start(age: Int, _ cycles: Float, after excluded: Int64) -> Int64? {
        let start = endMicroseconds - Int64(age + 1) * Self.microseconds
        return cycles > 0 && start >= excluded ? start : nil
    }

    /// Adds cycles that a moment has to a phase, and passes on when each whole one was complete, UTC µs.
    static func complete(_ phase: inout Float, by cycles: Float, from start: Int64, _ body: (Int64) -> Void) {
        let before = phase
        phase += cycles
        var crossing: Float = 1
        while phase >= 1 {
            phase -= 1
            body(start + Int64(Double((crossing - before) / cycles) * Double(microseconds)))
            crossing += 1
        }
    }
}

/// The probabilities of steps and pedals, and the places of their periods on the grid.
struct Posterior {
    let step: Float
    let pedal: Float
    let stepPlace: Float
    let pedalPlace: Float

    /// No steps and no pedals.
    static let still = Self()

    private init() { (step, pedal, stepPlace, pedalPlace) = (0, 0, 0, 0) }

    init(_ probabilities: UnsafeBufferPointer<Float>) {
        (step, stepPlace) = Self.read(probabilities, StateModel.steps, PeriodAxis.stepPlaces)
        (pedal, pedalPlace) = Self.read(probabilities, StateModel.pedals, PeriodAxis.pedalPlaces)
    }

    private static func read(
        _ probabilities: UnsafeBufferPointer<Float>, _ states: Range<Int>, _ places: Range<Int>
    ) -> (Float, Float) {
        var likeliest: Int32 = 0
        let sum = motion_sum(probabilities.baseAddress.map { $0 + states.lowerBound }, &likeliest)
        return (sum, place(probabilities, states, places, states.lowerBound + Int(likeliest)))
    }

    /// The place of the likeliest period, as a mean with its neighbours.
    private static func place(
        _ probabilities: UnsafeBufferPointer<Float>, _ states: Range<Int>, _ places: Range<Int>, _ likeliest: Int
    ) -> Float {
        var (weight, mean) = (Float(0), Float(0))
        let reach = MotionDecoder.meanPlaces
        for state in max(likeliest - reach, states.lowerBound)...min(likeliest + reach, states.upperBound - 1) {
            weight += probabilities[state]
            mean += probabilities[state] * Float(state - likeliest)
        }
        let place = Float(likeliest - states.lowerBound + places.lowerBound)
        return weight > 0 ? place + mean / weight : place
    }
}

/// The part of a bout between its first footfall and its last.
///
/// The smoothed probability of steps reaches a second beyond them, because autocorrelation sees a rhythm as soon as its
/// window does. A footfall shakes |a| far more than what comes before the first one and after the last: a tick is
/// within the bout where the movement around it is not far below the bout's, or where one footfall was seen and the next
/// one is at most a stride away, as where the other leg steps.
struct BoutEdges {
    /// The gain of the bout's movement, a moment of 0.4 s; the ticks of each of three parts after a moment that are looked
    /// at for it, 0.8 s; and how much more than it a moment may count.
    static let gain: Float = 0.2
    static let partTicks = 20
    static let mostRise: Float = 4
    /// The span around a tick, as a share of the period on each side.
    static let nearShare: Float = 0.35
    /// How long before the next footfall a tick may be, in periods: the sensor's own leg steps every second time.
    static let reachPeriods: Float = 2

    /// The mean square of |a| in this bout, (m/s²)².
    private var level: Float = 0
    /// Whether a footfall of this bout was seen.
    private var hasBegun = false

    /// The share of a moment that is within, 0…1.
    /// - Parameter period: The period of the steps, in ticks.
    /// - Parameter least: The least mean square of a footfall, as a share of the bout's.
    mutating func share(of window: EvaluatedWindow, row: Int, period: Float, least: Float) -> Float {
        let half = SignalWindow.blockTicks / 2
        let next = Self.levelAhead(window, row: row)
        let now = window.energy(row - half..<row + half).x / Float(SignalWindow.blockTicks)
        let near = max(Int(Self.nearShare * period), 2)
        let threshold = least * max(level, next) * Float(2 * near)
        func isFootfall(_ tick: Int) -> Bool { window.energy(tick - near..<tick + near).x > threshold }
        let reach = Int(Self.reachPeriods * period)
        var ticks = 0
        for tick in row - half..<row + half {
            let isOne = isFootfall(tick)
            hasBegun = hasBegun || isOne
            let last = min(tick + reach, SignalWindow.tickCount - near)
            if isOne || hasBegun && stride(from: tick + 2, through: last, by: 2).contains(where: isFootfall) {
                ticks += 1
            }
        }
        let most = Self.mostRise * max(level, next)
        level += (min(now, most) - level) * (level > 0 ? Self.gain : 1)
        return Float(ticks) / Float(SignalWindow.blockTicks)
    }

    /// The middle one of three mean squares of |a| after a row: a single blow is not the bout's.
    private static func levelAhead(_ window: EvaluatedWindow, row: Int) -> Float {
        func part(_ number: Int) -> Float {
            let start = row + number * partTicks
            return window.energy(start..<start + partTicks).x / Float(partTicks)
        }
        let (first, second, third) = (part(0), part(1), part(2))
        return max(min(first, second), min(max(first, second), third))
    }

    /// Takes a moment without steps.
    mutating func pause() {
        level *= 1 - Self.gain
        hasBegun = false
    }
}
