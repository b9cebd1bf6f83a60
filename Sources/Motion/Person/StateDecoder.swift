#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The probabilities of the states of each moment: the forward-backward algorithm (L. R. Rabiner, "A tutorial on hidden
/// Markov models", Proc. IEEE 77, 1989) with a fixed lag (B. D. O. Anderson and J. B. Moore, "Optimal Filtering",
/// chapter 7).
///
/// Periods drift by a Laplacian kernel, computed by two recursions; there is one rate for each change between kinds of
/// states. Three moments are settled at a time, six to eight moments after they were scored.
package struct StateDecoder: Sendable {
    /// The least number of later moments that a moment is smoothed by: 2.4 s.
    static let lag = 6
    /// Moments that are settled by one backward pass.
    static let settledCount = 3

    /// The numbers of the decoder. `docs/fitted-model.md` tells how they were chosen.
    package struct Settings: Sendable, Equatable {
        /// The exponent of a moment's likelihood, because the windows of successive moments overlap.
        package var power: Float = 0.35
        /// Biases of the scores of steps and of pedals.
        package var stepBias: Float = 0
        package var pedalBias: Float = 0
        /// Probabilities, per moment, of a change of the kind of state.
        package var stillToStep: Float = 0.02
        package var stillToPedal: Float = 0.005
        package var stepToStill: Float = 0.01
        package var stepToPedal: Float = 0.001
        package var pedalToStill: Float = 0.01
        package var pedalToStep: Float = 0.001
        package var stillToStill: Float = 0.05
        /// The probability of a jump to any period of the same kind.
        package var jump: Float = 0.005
        /// The decay of the kernel from one place of the grid to the next.
        package var stepSpread: Float = 0.5
        package var pedalSpread: Float = 0.4
        /// Probabilities above which steps and revolutions are counted.
        package var stepThreshold: Float = 0.5
        package var pedalThreshold: Float = 0.5
        /// The sum of log odds that decides for walking, by placement group: hand movements look like steps more often.
        /// The most that a moment adds, and the share of the needed sum that a moment without steps takes away.
        var onsetEvidence = EightFloats(SIMD8(repeating: 12))
        package var onsetMostOdds: Float = 3
        package var onsetDecay: Float = 0.3
        /// The bias of steps after ``walkSeconds`` of walking, by placement group: a walk goes on more often than
        /// another movement turns into one. Legs do not need it.
        var walkBias = EightFloats()
        package var walkSeconds: Float = 16
        /// The log odds that a bout is felt away from the wrist: a bias, and the weights of |a|, its jerk, that of the
        /// vector, envelope, crest, share of |a|, and octaves of the period (``OffWrist``).
        var offWrist = EightFloats()
        /// The confidence of a cadence by the probability of its state.
        var stepConfidence = Calibration.person
        var pedalConfidence = Calibration.person

        /// The usual numbers.
        package init() {}

        /// The numbers in the order above.
        init(numbers: ArraySlice<Float>) {
            for (field, number) in zip(Self.fields, numbers) { self[keyPath: field] = number }
        }

        static var count: Int { fields.count }

        private static var fields: [WritableKeyPath<Settings, Float>] {
            [
                \.power, \.stepBias, \.pedalBias, \.stillToStep, \.stillToPedal, \.stepToStill, \.stepToPedal,
                \.pedalToStill, \.pedalToStep, \.stillToStill, \.jump, \.stepSpread, \.pedalSpread, \.stepThreshold,
                \.pedalThreshold, \.onsetMostOdds, \.onsetDecay, \.walkSeconds,
            ] + PlacementGroup.worn.indices.map { \.walkBias[$0] }
                + PlacementGroup.worn.indices.map { \.onsetEvidence[$0] }
                + (0..<8).map { \.offWrist[$0] }
                + (0..<8).map { \.stepConfidence.shares[$0] } + (0..<8).map { \.pedalConfidence.shares[$0] }
        }
    }

    private static let capacity = lag + settledCount
    private static let states = StateModel.stateCount
    /// Units of stored log-likelihoods, in 16 bits: from −32 up in steps of 1/1000.
    private static let unit: Float = 1000

    /// Likelihoods of multiples of 256 units, and of the remainders: any likelihood is a product of two.
    private static let coarseLikelihoods = (0...255).map { exp(Float($0) * -256 / unit) }
    private static let fineLikelihoods = (0...255).map { exp(Float($0) / -unit) }

    /// Negative log-likelihoods of the unsettled moments, the oldest first.
    private var costs = [UInt16](repeating: 0, count: capacity * states)
    /// Their forward probabilities, preceded by those of the last settled moment.
    private var forward = [Float](repeating: 0, count: (capacity + 1) * states)
    private(set) var count = 0

    package init() { reset() }

    /// Whether there are enough moments for settling.
    var isReady: Bool { count == Self.capacity }

    mutating func reset() {
        count = 0
        for state in 0..<Self.states { forward[state] = 1e-3 }
        forward[0] = 1
    }

    /// Takes the scores of a moment.
    /// - Parameter walkBias: The bias of steps after walking.
    mutating func push(_ scores: UnsafeMutableBufferPointer<Float>, walkBias: Float, _ settings: Settings) {
        let stepBias = settings.stepBias + walkBias
        for state in StateModel.steps { scores[state] += stepBias }
        for state in StateModel.pedals { scores[state] += settings.pedalBias }
        keep(scores, settings.power)
        advance(row: count, settings)
        count += 1
    }

    /// Stores the scores of the next moment as costs below the highest, four states at once.
    private mutating func keep(_ scores: UnsafeMutableBufferPointer<Float>, _ power: Float) {
        guard let first = scores.baseAddress else { return }
        let fours = Self.states / 4 * 4
        var highests = SIMD4<Float>(repeating: scores[0])
        for state in stride(from: 0, to: fours, by: 4) { highests = first.four(at: state).raised(to: highests) }
        var highest = highests.greatest
        for state in fours..<Self.states { highest = scores[state] > highest ? scores[state] : highest }
        let row = count * Self.states
        costs.withUnsafeMutableBufferPointer { costs in
            let costs = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: costs[row...]))
            for state in stride(from: 0, to: fours, by: 4) {
                let units = Self.units((highest - first.four(at: state)) * power * Self.unit)
                costs.storeBytes(of: units, toByteOffset: 2 &* state, as: SIMD4<UInt16>.self)
            }
            for state in fours..<Self.states {
                let units = Self.units(SIMD4(repeating: (highest - scores[state]) * power * Self.unit))
                costs.storeBytes(of: units.x, toByteOffset: 2 &* state, as: UInt16.self)
            }
        }
    }

    /// 2²³: at this magnitude a Float has no fraction, and its low bits are a whole number.
    private static let wholeNumbers: Float = 8_388_608

    /// Costs rounded down, at most 32; NaN is 32, too.
    @inline(__always)
    private static func units(_ costs: SIMD4<Float>) -> SIMD4<UInt16> {
        let most = SIMD4<Float>(repeating: 32 * unit)
        let held = most.choose(above: costs, costs, else: most)
        let nearest = held + wholeNumbers - wholeNumbers
        let whole = nearest.choose(above: held, nearest - 1, else: nearest)
        return SIMD4(truncatingIfNeeded: unsafeBitCast(whole + wholeNumbers, to: SIMD4<UInt32>.self))
    }

    /// Multiplies probabilities by the likelihoods of a moment.
    private static func weigh(
        _ probabilities: UnsafeMutableBufferPointer<Float>, _ costs: [UInt16], row: Int,
        into weighed: UnsafeMutableBufferPointer<Float>
    ) {
        costs.withUnsafeBufferPointer { costs in
            coarseLikelihoods.withUnsafeBufferPointer { coarse in
                fineLikelihoods.withUnsafeBufferPointer { fine in
                    for state in 0..<states {
                        let cost = Int(costs[row &* states &+ state])
                        weighed[state] = probabilities[state] * (coarse[cost &>> 8] * fine[cost & 255])
                    }
                }
            }
        }
    }

    /// Computes the forward probabilities of a moment.
    private mutating func advance(row: Int, _ settings: Settings) {
        let (transitions, costs) = (Transitions(settings), costs)
        forward.withUnsafeMutableBufferPointer { forward in
            let before = UnsafeMutableBufferPointer(rebasing: forward[row * Self.states..<(row + 1) * Self.states])
            let now = UnsafeMutableBufferPointer(rebasing: forward[(row + 1) * Self.states..<(row + 2) * Self.states])
            transitions.step(before, into: now, isBackward: false)
            Self.weigh(now, costs, row: row, into: now)
            Self.normalise(now)
        }
    }

    /// The forward probabilities of the newest moment.
    func newest<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
        forward.withUnsafeBufferPointer { forward in
            body(UnsafeBufferPointer(rebasing: forward[count * Self.states..<(count + 1) * Self.states]))
        }
    }

    /// Floats of memory for settling.
    static let memoryCount = (settledCount + 2) * states

    /// Settles the oldest moments and removes them. ``settled(_:in:)`` has their probabilities.
    /// - Parameter memory: ``memoryCount`` floats.
    mutating func settle(_ settings: Settings, _ memory: UnsafeMutableBufferPointer<Float>) {
        let states = Self.states
        smooth(settings, in: memory)
        count -= Self.settledCount
        Self.drop(Self.settledCount * states, from: &forward, kept: (count + 1) * states)
        Self.drop(Self.settledCount * states, from: &costs, kept: count * states)
    }

    /// The probabilities of a settled moment, the oldest first, in the memory of settling.
    static func settled(_ moment: Int, in memory: UnsafeMutableBufferPointer<Float>) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(memory)[(moment + 2) * states..<(moment + 3) * states])
    }

    /// How many moments came after a settled one, the oldest first.
    static func age(ofSettled moment: Int) -> Int { capacity - 1 - moment }

    private static func drop<Number>(_ dropped: Int, from numbers: inout [Number], kept: Int) {
        numbers.withUnsafeMutableBufferPointer { numbers in
            guard let first = numbers.baseAddress else { return }
            first.update(from: first + dropped, count: kept)
        }
    }

    /// The backward pass. Memory: backward probabilities, the same times likelihoods, settled probabilities.
    private func smooth(_ settings: Settings, in memory: UnsafeMutableBufferPointer<Float>) {
        let (transitions, states, count) = (Transitions(settings), Self.states, count)
        let backward = UnsafeMutableBufferPointer(rebasing: memory[..<states])
        let weighed = UnsafeMutableBufferPointer(rebasing: memory[states..<2 * states])
        backward.update(repeating: 1)
        for moment in stride(from: count - 1, through: 0, by: -1) {
            if moment < Self.settledCount {
                let settled = UnsafeMutableBufferPointer(
                    rebasing: memory[(moment + 2) * states..<(moment + 3) * states])
                for state in 0..<states { settled[state] = forward[(moment + 1) * states + state] * backward[state] }
                Self.normalise(settled)
            }
            guard moment > 0 else { return }
            Self.weigh(backward, costs, row: moment, into: weighed)
            transitions.step(weighed, into: backward, isBackward: true)
            Self.normalise(backward)
        }
    }

    /// Normalises probabilities to a sum of 1.
    private static func normalise(_ values: UnsafeMutableBufferPointer<Float>) {
        let total = sum(UnsafeBufferPointer(values))
        let share = total > 0 ? 1 / total : 0
        for index in values.indices { values[index] *= share }
    }

    /// The sum of values, in eight partial ones.
    static func sum(_ values: UnsafeBufferPointer<Float>) -> Float {
        var parts = SIMD8<Float>.zero
        var index = 0
        while index &+ 8 <= values.count {
            if let base = values.baseAddress {
                parts += UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<Float>.self)
            }
            index &+= 8
        }
        var sum = parts.sum()
        while index < values.count {
            sum += values[index]
            index &+= 1
        }
        return sum
    }

    /// Copies the moments into a state or out of it. Forward probabilities are computed from those before the first.
    /// - Parameter settings: Those of the model.
    mutating func copyMoments(_ state: inout StateCopy, _ settings: Settings) {
        state.expect(count < Self.capacity)
        guard state.isSound else { return }
        state.elements(&forward, 0..<Self.states)
        state.elements(&costs, 0..<count * Self.states)
        guard state.isReading else { return }
        for row in 0..<count { advance(row: row, settings) }
    }
}

/// The transitions from one moment to the next.
private struct Transitions {
    private let settings: StateDecoder.Settings

    init(_ settings: StateDecoder.Settings) {
        self.settings = settings
    }

    /// Multiplies probabilities by the transition matrix, or by its transpose for the backward pass.
    func step(
        _ from: UnsafeMutableBufferPointer<Float>, into to: UnsafeMutableBufferPointer<Float>, isBackward: Bool
    ) {
        let (steps, pedals) = (StateModel.steps, StateModel.pedals)
        let still = from[0] + from[1] + from[2]
        let step = StateDecoder.sum(UnsafeBufferPointer(rebasing: from[steps]))
        let pedal = StateDecoder.sum(UnsafeBufferPointer(rebasing: from[pedals]))
        spread(from, into: to)
        let periodCount = Float(StateModel.periodCount)
        let stillCount = Float(StateModel.stillCount)
        let s = settings
        let stepStays = 1 - s.stepToStill - s.stepToPedal - s.jump
        let pedalStays = 1 - s.pedalToStill - s.pedalToStep - s.jump
        let stillStays = 1 - s.stillToStep - s.stillToPedal - s.stillToStill
        let (toStep, toPedal, toStill): (Float, Float, Float)
        if isBackward {
            toStep =
                still * s.stepToStill / stillCount + pedal * s.stepToPedal / periodCount + step * s.jump / periodCount
            toPedal =
                still * s.pedalToStill / stillCount + step * s.pedalToStep / periodCount + pedal * s.jump / periodCount
            toStill =
                step * s.stillToStep / periodCount + pedal * s.stillToPedal / periodCount
                + still * s.stillToStill / stillCount
        } else {
            toStep = (still * s.stillToStep + pedal * s.pedalToStep + step * s.jump) / periodCount
            toPedal = (still * s.stillToPedal + step * s.stepToPedal + pedal * s.jump) / periodCount
            toStill = (step * s.stepToStill + pedal * s.pedalToStill + still * s.stillToStill) / stillCount
        }
        for state in steps { to[state] = to[state] * stepStays + toStep }
        for state in pedals { to[state] = to[state] * pedalStays + toPedal }
        for state in 0..<StateModel.stillCount { to[state] = from[state] * stillStays + toStill }
    }

    /// Convolves steps and pedals with the normalised kernel decay^|distance|. The four recursions, up and down of each
    /// kind, run side by side, because each depends on its last result.
    private func spread(_ from: UnsafeMutableBufferPointer<Float>, into to: UnsafeMutableBufferPointer<Float>) {
        let (stepDecay, pedalDecay) = (settings.stepSpread, settings.pedalSpread)
        let (stepShare, pedalShare) = ((1 - stepDecay) / (1 + stepDecay), (1 - pedalDecay) / (1 + pedalDecay))
        let (steps, pedals, count) = (StateModel.steps, StateModel.pedals, StateModel.periodCount)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { down in
            var (stepUp, pedalUp, stepDown, pedalDown): (Float, Float, Float, Float) = (0, 0, 0, 0)
            for place in 0..<count {
                let last = count &- 1 &- place
                stepUp = stepUp * stepDecay + from[steps.lowerBound &+ place]
                to[steps.lowerBound &+ place] = stepUp
                pedalUp = pedalUp * pedalDecay + from[pedals.lowerBound &+ place]
                to[pedals.lowerBound &+ place] = pedalUp
                down[last] = stepDown
                stepDown = (stepDown + from[steps.lowerBound &+ last]) * stepDecay
                down[count &+ last] = pedalDown
                pedalDown = (pedalDown + from[pedals.lowerBound &+ last]) * pedalDecay
            }
            for place in 0..<count {
                let (step, pedal) = (steps.lowerBound &+ place, pedals.lowerBound &+ place)
                to[step] = (to[step] + down[place]) * stepShare
                to[pedal] = (to[pedal] + down[count &+ place]) * pedalShare
            }
        }
    }
}
