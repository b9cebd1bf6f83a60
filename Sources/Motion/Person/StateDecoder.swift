internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The probabilities of the states of each moment: the forward-backward algorithm (L. R. Rabiner, "A tutorial on hidden
/// Markov models", Proc. IEEE 77, 1989) with a fixed lag (B. D. O. Anderson and J. B. Moore, "Optimal Filtering", chapter 7).
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

    static let capacity = lag + settledCount
    private static let states = StateModel.stateCount
    /// Likelihoods of the unsettled moments, the oldest first.
    private var likelihoods = [Float](repeating: 0, count: capacity * states)
    /// Their forward probabilities, preceded by those of the last settled moment.
    private var forward = [Float](repeating: 0, count: (capacity + 1) * states)
    private(set) var count = 0
    /// Whether all unsettled moments are taken to be as the first, because nothing moves.
    private(set) var isResting = false
    /// The most that steps and pedals are likely at rest.
    private static let mostAtRest: Float = 0.01

    package init() { reset() }

    /// Whether there are enough moments for settling.
    var isReady: Bool { count == Self.capacity }

    mutating func reset() {
        (count, isResting) = (0, false)
        for state in 0..<Self.states { forward[state] = 1e-3 }
        forward[0] = 1
    }

    /// Takes the scores of a moment.
    /// - Parameter walkBias: The bias of steps after walking.
    mutating func push(_ scores: UnsafePointer<Float>, walkBias: Float, _ model: StateModel) {
        if isResting {
            isResting = false
            for row in 0..<count { advance(row: row, model) }
        }
        likelihoods.withUnsafeMutableBufferPointer { likelihoods in
            guard let likelihoods = likelihoods.baseAddress else { return }
            withUnsafeBytes(of: (model.decoding.stepBias + walkBias, model.decoding.pedalBias)) { biases in
                motion_likelihoods(
                    scores, biases.assumingMemoryBound(to: Float.self).baseAddress, model.decoding.power,
                    likelihoods + count * Self.states)
            }
        }
        advance(row: count, model)
        count += 1
    }

    /// Takes a moment as the newest one, where nothing has moved for longer than moments are unsettled. False where steps
    /// or pedals are not unlikely: then it is to be scored.
    mutating func rest() -> Bool {
        if !isResting {
            let state = newest { Posterior($0) }
            guard count > 0, state.step + state.pedal < Self.mostAtRest else { return false }
            isResting = true
            Self.copy(row: count, of: &forward, to: 0..<1)
            Self.copy(row: count - 1, of: &likelihoods, to: 0..<Self.capacity)
        }
        count += 1
        return true
    }

    private static func copy<Number>(row: Int, of numbers: inout [Number], to rows: Range<Int>) {
        for other in rows where other != row {
            for state in 0..<states { numbers[other * states + state] = numbers[row * states + state] }
        }
    }

    /// Computes the forward probabilities of a moment.
    private mutating func advance(row: Int, _ model: StateModel) {
        let states = Self.states
        withUnsafePointer(to: model.transitions) { transitions in
            likelihoods.withUnsafeBufferPointer { likelihoods in
                forward.withUnsafeMutableBufferPointer { forward in
                    guard let likelihoods = likelihoods.baseAddress, let forward = forward.baseAddress else { return }
                    motion_forward(
                        forward + row * states, likelihoods + row * states, transitions, forward + (row + 1) * states)
                }
            }
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

    /// Settles the oldest moments and removes them. ``settled(_:in:)`` has their probabilities, but not at rest.
    /// - Parameter memory: ``memoryCount`` floats.
    mutating func settle(_ model: StateModel, _ memory: UnsafeMutableBufferPointer<Float>) {
        let states = Self.states
        if !isResting { smooth(model, in: memory) }
        count -= Self.settledCount
        guard !isResting else { return }
        Self.drop(Self.settledCount * states, from: &forward, kept: (count + 1) * states)
        Self.drop(Self.settledCount * states, from: &likelihoods, kept: count * states)
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

    /// The backward pass. Memory: backward probabilities, room for the next ones, settled probabilities.
    private func smooth(_ model: StateModel, in memory: UnsafeMutableBufferPointer<Float>) {
        let states = Self.states
        guard var backward = memory.baseAddress else { return }
        var earlier = backward + states
        let settled = earlier + states
        backward.update(repeating: 1, count: states)
        withUnsafePointer(to: model.transitions) { transitions in
            likelihoods.withUnsafeBufferPointer { likelihoods in
                forward.withUnsafeBufferPointer { forward in
                    guard let likelihoods = likelihoods.baseAddress, let forward = forward.baseAddress else { return }
                    for moment in stride(from: count - 1, through: 0, by: -1) {
                        if moment < Self.settledCount {
                            motion_settle(forward + (moment + 1) * states, backward, settled + moment * states)
                        }
                        guard moment > 0 else { return }
                        motion_backward(backward, likelihoods + moment * states, transitions, earlier)
                        swap(&backward, &earlier)
                    }
                }
            }
        }
    }

    /// Copies the moments into a state or out of it. Forward probabilities are computed from those before the first.
    mutating func copyMoments(_ state: inout StateCopy, _ model: StateModel) {
        state.expect((isResting ? 1..<Self.capacity : 0..<Self.capacity).contains(count))
        guard state.isSound else { return }
        state.elements(&forward, 0..<Self.states)
        copyLikelihoods(&state)
        guard state.isReading else { return }
        if isResting { Self.copy(row: 0, of: &likelihoods, to: 0..<Self.capacity) }
        for row in 0..<count { advance(row: row, model) }
    }

    /// As thousandths of logarithms, of which they were made.
    private mutating func copyLikelihoods(_ state: inout StateCopy) {
        let number = count * Self.states
        var costs = [UInt16](repeating: 0, count: number)
        if !state.isReading { motion_pack(likelihoods, number, &costs) }
        state.elements(&costs, 0..<number)
        if state.isReading { motion_unpack(costs, number, &likelihoods) }
    }
}

extension motion_transitions {
    /// The transitions from one moment to the next, and back: what comes from a kind of state is spread evenly over the
    /// states of another.
    init(_ s: StateDecoder.Settings) {
        self.init()
        let (periods, still) = (Float(StateModel.periodCount), Float(StateModel.stillCount))
        decay = (s.stepSpread, s.pedalSpread)
        share = ((1 - s.stepSpread) / (1 + s.stepSpread), (1 - s.pedalSpread) / (1 + s.pedalSpread))
        stays = (1 - s.stepToStill - s.stepToPedal - s.jump, 1 - s.pedalToStill - s.pedalToStep - s.jump)
        still_stays = 1 - s.stillToStep - s.stillToPedal - s.stillToStill
        to_step = (s.stillToStep / periods, s.jump / periods, s.pedalToStep / periods)
        to_pedal = (s.stillToPedal / periods, s.stepToPedal / periods, s.jump / periods)
        to_still = (s.stillToStill / still, s.stepToStill / still, s.pedalToStill / still)
        back_to_step = (s.stepToStill / still, s.jump / periods, s.stepToPedal / periods)
        back_to_pedal = (s.pedalToStill / still, s.pedalToStep / periods, s.jump / periods)
        back_to_still = (s.stillToStill / still, s.stillToStep / periods, s.stillToPedal / periods)
    }
}
