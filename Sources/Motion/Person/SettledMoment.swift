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
