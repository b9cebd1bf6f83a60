/// What a moment's features say for each state of motion: multinomial logistic regression
/// (C. M. Bishop, "Pattern Recognition and Machine Learning", section 4.3.4) with weights that all periods of a kind share.
///
/// The score of a step or of a crank revolution of period T is a weighted sum of the autocorrelation at T, T/2, 3T/2, 2T
/// and close to them, of the levels, and of powers of log T. Those of rest, of other movement and of a vehicle are
/// weighted sums of the levels and of what the best period offers. The weights are those of a placement group, or of all
/// together where none is known; `Tools/fit` makes them.
package struct StateModel: Sendable {
    /// Where a sensor is worn, as far as weights differ.
    enum Group: Int, CaseIterable, Sendable {
        case unknown, wrist, carried, pocket, leg
    }

    /// States without a period.
    enum Still: Int, CaseIterable {
        case rest, other, vehicle
    }

    static let stillCount = Still.allCases.count
    static let stepCount = PeriodAxis.stepPlaces.count
    static let pedalCount = PeriodAxis.pedalPlaces.count
    /// All states: rest, other, vehicle, steps by period, pedals by period.
    static let stateCount = stillCount + stepCount + pedalCount
    static let steps = stillCount..<stillCount + stepCount
    static let pedals = stillCount + stepCount..<stateCount

    /// Where a curve is read, as places from the period: T, T/2, 3T/2, 2T, and beside T and 2T for how sharp they are.
    private static let sharp = [0, -24, 14, 24, -5, 5, 19, 29]
    private static let plain = [0, -24, 14, 24]
    static let taps: [(curve: Autocorrelation.Curve, offsets: [Int])] = [
        (.norm, sharp), (.vector, sharp), (.envelope, plain), (.shortNorm, [0]), (.shortVector, [0, 24]),
        (.turning, sharp),
    ]
    private static let tapCount = taps.reduce(0) { $0 + $1.offsets.count }
    /// Those without the gyroscope's, which come last: a step is not asked about turning.
    private static let stepTapCount = tapCount - sharp.count
    /// Where the taps are read in the features.
    private static let tapPlaces = taps.flatMap { tap in
        tap.offsets.map { tap.curve.rawValue * Autocorrelation.stride + $0 }
    }
    /// Periods of a kind, in full eights.
    private static let periodCapacity = 64
    /// Powers of log T.
    private static let powerCount = 3
    /// With acceleration alone, with both sensors, with a gyroscope alone.
    private static let biasCount = 3

    /// How many weighted sums the score of a step, of a pedal and of a state without a period is the highest of.
    private static let stepVariants = 2
    private static let pedalVariants = 3
    private static let stillVariants = 6

    private static let periodicCount = tapCount + MotionFeatures.levelCount + powerCount + biasCount
    private static let plainCount = MotionFeatures.levelCount + MotionFeatures.bestCount + biasCount
    private static let groupCount =
        (stepVariants + pedalVariants) * periodicCount + stillCount * stillVariants * plainCount
    /// Numbers of a table.
    package static let weightCount = Group.allCases.count * groupCount

    /// By group: steps, pedals, rest, other, vehicle; each its taps or levels and what else it has.
    private let weights: [Float]
    /// The numbers of the decoder.
    package var decoding: StateDecoder.Settings

    /// A model of a fitted table, or nil where that has another number of weights.
    package init?(weights: [Float], decoding: StateDecoder.Settings) {
        guard weights.count == Self.weightCount else { return nil }
        self.weights = weights
        self.decoding = decoding
    }

    /// Numbers of a table with those of the decoder.
    package static let tableCount = weightCount + StateDecoder.Settings.count

    /// A model from such numbers, or nil where there are more or fewer.
    package init?(table: some Collection<Float>) {
        guard table.count == Self.tableCount else { return nil }
        let numbers = Array(table)
        self.init(
            weights: Array(numbers[..<Self.weightCount]),
            decoding: StateDecoder.Settings(numbers: numbers[Self.weightCount...]))
    }

    init(table: [Float], decoding: StateDecoder.Settings) {
        precondition(table.count == Self.weightCount, "the generated table has a weight for each feature")
        weights = table
        self.decoding = decoding
    }

    private static let stepPowers = powers(PeriodAxis.stepPlaces)
    private static let pedalPowers = powers(PeriodAxis.pedalPlaces)

    private static func powers(_ places: Range<Int>) -> [Float] {
        (places.lowerBound..<places.lowerBound + periodCapacity).map {
            (Float($0) - centrePlace) / Float(PeriodAxis.placesPerOctave)
        }
    }

    /// 0.6 s.
    private static let centrePlace: Float = 60

    /// Writes the score of each state, a log-likelihood but for a constant.
    func score(
        _ features: UnsafeMutableBufferPointer<Float>, _ sensors: SensorSet, _ group: Group,
        into scores: UnsafeMutableBufferPointer<Float>
    ) {
        let bias = !sensors.contains(.angularVelocity) ? 0 : sensors.contains(.acceleration) ? 1 : 2
        weights.withUnsafeBufferPointer { all in
            var start = group.rawValue * Self.groupCount
            start = Self.scorePeriodic(
                all, from: start, Self.stepVariants, features, bias, PeriodAxis.stepPlaces, Self.stepPowers,
                taps: Self.stepTapCount, into: UnsafeMutableBufferPointer(rebasing: scores[Self.steps]))
            start = Self.scorePeriodic(
                all, from: start, Self.pedalVariants, features, bias, PeriodAxis.pedalPlaces, Self.pedalPowers,
                taps: Self.tapCount, into: UnsafeMutableBufferPointer(rebasing: scores[Self.pedals]))
            for state in 0..<Self.stillCount {
                var highest = -Float.infinity
                for _ in 0..<Self.stillVariants {
                    var score = all[start + Self.plainCount - Self.biasCount + bias]
                    for number in 0..<MotionFeatures.levelCount + MotionFeatures.bestCount {
                        score += all[start + number] * features[MotionFeatures.curveCount + number]
                    }
                    highest = max(highest, score)
                    start += Self.plainCount
                }
                scores[state] = highest
            }
        }
    }

    /// Writes the scores of all periods of a kind. The place of the first weight after theirs.
    private static func scorePeriodic(
        _ weights: UnsafeBufferPointer<Float>, from first: Int, _ variants: Int,
        _ features: UnsafeMutableBufferPointer<Float>, _ bias: Int, _ places: Range<Int>, _ powers: [Float], taps: Int,
        into scores: UnsafeMutableBufferPointer<Float>
    ) -> Int {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: periodCapacity) { sums in
            sums.initialize(repeating: 0)
            scores.update(repeating: -Float.infinity)
            for variant in 0..<variants {
                let start = first + variant * periodicCount
                let own = UnsafeBufferPointer(rebasing: weights[start..<start + periodicCount])
                sum(own, features, bias, first: places.lowerBound, powers, taps: taps, into: sums)
                for state in 0..<scores.count { scores[state] = max(scores[state], sums[state]) }
            }
            return first + variants * periodicCount
        }
    }

    /// Writes one weighted sum for each period, eight at once.
    private static func sum(
        _ weights: UnsafeBufferPointer<Float>, _ features: UnsafeMutableBufferPointer<Float>, _ bias: Int, first: Int,
        _ powers: [Float], taps: Int, into sums: UnsafeMutableBufferPointer<Float>
    ) {
        guard let weight = weights.baseAddress, let feature = features.baseAddress else { return }
        var common = weights[weights.count - biasCount + bias]
        for level in 0..<MotionFeatures.levelCount {
            common += weights[tapCount + level] * features[MotionFeatures.curveCount + level]
        }
        let own = tapCount + MotionFeatures.levelCount
        let (slope, square, cube) = (weights[own], weights[own + 1], weights[own + 2])
        tapPlaces.withUnsafeBufferPointer { places in
            powers.withUnsafeBufferPointer { powers in
                for state in stride(from: 0, to: sums.count, by: 8) {
                    let x = eight(powers.baseAddress, state)
                    var scores = x * (slope + x * (square + x * cube)) + common
                    for tap in 0..<taps {
                        scores += eight(feature, places[tap] &+ first &+ state) * weight[tap]
                    }
                    for lane in 0..<8 { sums[state &+ lane] = scores[lane] }
                }
            }
        }
    }

    @inline(__always)
    private static func eight(_ base: UnsafePointer<Float>?, _ index: Int) -> SIMD8<Float> {
        guard let base else { return .zero }
        return UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private static func eight(_ base: UnsafeMutablePointer<Float>, _ index: Int) -> SIMD8<Float> {
        UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<Float>.self)
    }
}
