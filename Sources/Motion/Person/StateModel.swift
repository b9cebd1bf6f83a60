internal import CMotion

/// The score of each state of motion from the features of a moment: multinomial logistic regression (C. M. Bishop,
/// "Pattern Recognition and Machine Learning", section 4.3.4) with weights that all periods of a kind share.
///
/// The score of a step or crank revolution of period T is a weighted sum of the autocorrelation at and near T, T/2,
/// 3T/2 and 2T, of the levels, of the levels times log T, and of powers of log T. The scores of rest, other movement
/// and a vehicle are weighted sums of the levels and of the best period's features. Each placement group has its
/// weights, and there are common ones for an untold placement; `Tools/fit` computes them.
package struct StateModel: Sendable {
    /// The logarithm of 8 m/s², and how the score of rest falls with that of more movement: nobody rests who is shaken
    /// so. Recordings of people who make no steps say of no moment whether they rest.
    static let logMostAtRest: Float = 2.08
    static let restSlope: Float = 1

    /// By how much the score of steps is lowered for a gyroscope alone. How fast it turns is all that it tells of steps, and
    /// riders turn their legs as fast as walkers, in a rhythm that pedals have: halfway between both.
    static let turningAlone: Float = 1

    /// States without a period.
    enum Still: Int, CaseIterable {
        case rest, other, vehicle
    }

    static let stillCount = Still.allCases.count
    /// The number of periods of steps, and of pedals.
    static let periodCount = PeriodAxis.stepPlaces.count
    /// All states: rest, other, vehicle, steps by period, pedals by period.
    static let stateCount = stillCount + 2 * periodCount
    static let steps = stillCount..<stillCount + periodCount
    static let pedals = stillCount + periodCount..<stateCount

    /// The taps: a curve, and an offset in places from the period: T, T/2, 3T/2, 2T, and neighbours of T and 2T for the
    /// sharpness of peaks.
    private static let sharp = [0, -12, 7, 12, -3, 3, 9, 15]
    private static let plain = [0, -12, 7, 12]
    static let taps: [(curve: Autocorrelation.Curve, offsets: [Int])] = [
        (.norm, sharp), (.vector, sharp), (.envelope, plain), (.shortNorm, [0]), (.shortVector, [0, 12]),
        (.turning, sharp),
    ]
    private static let tapCount = taps.reduce(0) { $0 + $1.offsets.count }
    /// The taps of steps: all but the gyroscope's, which come last.
    private static let stepTapCount = tapCount - sharp.count
    /// The offsets of the taps among the features.
    private static let tapPlaces = taps.flatMap { tap in
        tap.offsets.map { Int32(tap.curve.rawValue * Autocorrelation.stride + $0) }
    }
    /// Weights of the square and the cube of log T.
    private static let powerCount = 2
    /// Biases by sensors: acceleration alone, both, gyroscope alone.
    private static let biasCount = 3

    /// The number of weighted sums of which a score is the maximum: of steps and pedals, and of states without a period.
    private static let periodicVariants = 3
    private static let stillVariants = 6

    private static let periodicCount = tapCount + 2 * MotionFeatures.levelCount + powerCount + 2 * biasCount
    private static let plainCount = MotionFeatures.levelCount + MotionFeatures.bestCount + biasCount
    private static let groupCount =
        2 * periodicVariants * periodicCount + stillCount * stillVariants * plainCount
    /// Numbers of a table.
    package static let weightCount = PlacementGroup.worn.count * groupCount

    /// What all pipelines share: to pass a model on copies a reference.
    private final class Numbers: Sendable {
        /// The weights of each group.
        let groups: [GroupWeights]
        let decoding: StateDecoder.Settings
        let transitions: motion_transitions

        init(_ groups: [GroupWeights], _ decoding: StateDecoder.Settings) {
            (self.groups, self.decoding, transitions) = (groups, decoding, motion_transitions(decoding))
        }
    }

    private var numbers: Numbers

    /// The numbers of the decoder.
    package var decoding: StateDecoder.Settings {
        get { numbers.decoding }
        set { numbers = Numbers(numbers.groups, newValue) }
    }

    var transitions: motion_transitions { numbers.transitions }

    /// A model from a fitted table, or nil where its size is wrong.
    package init?(weights: [Float], decoding: StateDecoder.Settings) {
        guard weights.count == Self.weightCount else { return nil }
        self.init(table: weights, decoding: decoding)
    }

    /// Numbers of a table and of the decoder.
    package static let tableCount = weightCount + StateDecoder.Settings.count

    /// A model from these numbers, or nil where their count is wrong.
    package init?(table: some Collection<Float>) {
        guard table.count == Self.tableCount else { return nil }
        let numbers = Array(table)
        self.init(
            weights: Array(numbers[..<Self.weightCount]),
            decoding: StateDecoder.Settings(numbers: numbers[Self.weightCount...]))
    }

    init(table: [Float], decoding: StateDecoder.Settings) {
        precondition(table.count == Self.weightCount, "the generated table has a weight for each feature")
        let groups = PlacementGroup.worn.indices.map { group in
            let start = group * Self.groupCount
            return GroupWeights(table[start..<start + Self.groupCount])
        }
        numbers = Numbers(groups, decoding)
    }

    /// Writes the score of each state, a log-likelihood but for a constant.
    func score(
        _ features: UnsafeMutablePointer<Float>, _ sensors: SensorSet, _ group: Int,
        into scores: UnsafeMutablePointer<Float>
    ) {
        let bias = !sensors.contains(.angularVelocity) ? 0 : sensors.contains(.acceleration) ? 1 : 2
        let weights = numbers.groups[group]
        withUnsafeTemporaryAllocation(of: Float.self, capacity: GroupWeights.laneCount) { levels in
            guard let levels = levels.baseAddress else { return }
            weights.sumLevels(features, bias, into: levels)
            for state in 0..<Self.stillCount {
                let first = GroupWeights.periodicSums + state * Self.stillVariants
                var highest = levels[first]
                for variant in 1..<Self.stillVariants { highest = max(highest, levels[first + variant]) }
                scores[state] = highest
            }
            let movement = features[MotionFeatures.curveCount + MotionFeatures.Level.vector1s.rawValue]
            scores[Still.rest.rawValue] -= Self.restSlope * max(movement - Self.logMostAtRest, 0)
            Self.scorePeriods(
                weights.steps, levels, features, PeriodAxis.stepPlaces, into: scores + Self.steps.lowerBound)
            if sensors == .angularVelocity { for state in Self.steps { scores[state] -= Self.turningAlone } }
            Self.scorePeriods(
                weights.pedals, levels + 2 * Self.periodicVariants, features, PeriodAxis.pedalPlaces,
                into: scores + Self.pedals.lowerBound)
        }
    }

    /// Writes the scores of all periods of a kind.
    /// - Parameter levels: The sums of the levels by variant, and those times log T.
    private static func scorePeriods(
        _ weights: PeriodWeights, _ levels: UnsafePointer<Float>, _ features: UnsafePointer<Float>,
        _ places: Range<Int>, into scores: UnsafeMutablePointer<Float>
    ) {
        motion_scores(
            features + places.lowerBound, tapPlaces, weights.taps, weights.taps.count / periodicVariants, levels,
            weights.powers, PeriodAxis.octaves(atPlace: Float(places.lowerBound)),
            1 / Float(PeriodAxis.placesPerOctave),
            scores)
    }

    /// The weights of a group in reading order: each sum of levels is a lane.
    private final class GroupWeights: Sendable {
        /// Sums for steps and pedals: by variant, and by variant times log T.
        static let periodicSums = 4 * periodicVariants
        /// These, and the variants of the states without a period.
        private static let sumCount = periodicSums + stillCount * stillVariants
        /// Room for them in whole vectors.
        static let laneCount = 32
        private static let levelCount = MotionFeatures.levelCount + MotionFeatures.bestCount

        let steps: PeriodWeights
        let pedals: PeriodWeights
        /// By level, then by sensors, ``laneCount`` each.
        private let levels: [Float]

        /// - Parameter table: Steps, pedals, rest, other, vehicle, each with its variants; a variant's taps, levels,
        /// slopes,
        ///   powers and biases.
        init(_ table: ArraySlice<Float>) {
            var rest = table
            var levels = [Float](repeating: 0, count: (Self.levelCount + biasCount) * Self.laneCount)
            func set(_ row: Int, _ sum: Int, _ weight: Float) { levels[row * Self.laneCount + sum] = weight }
            steps = PeriodWeights(rest, tapCount: stepTapCount)
            pedals = PeriodWeights(rest.dropFirst(periodicVariants * periodicCount), tapCount: tapCount)
            for variant in 0..<2 * periodicVariants {
                let own = Array(rest.prefix(periodicCount))
                let (bias, tilt) = (periodicCount - 2 * biasCount, periodicCount - biasCount)
                let sum = variant < periodicVariants ? variant : variant + periodicVariants
                for level in 0..<MotionFeatures.levelCount {
                    set(level, sum, own[tapCount + level])
                    set(level, sum + periodicVariants, own[tapCount + MotionFeatures.levelCount + level])
                }
                for sensors in 0..<biasCount {
                    set(Self.levelCount + sensors, sum, own[bias + sensors])
                    set(Self.levelCount + sensors, sum + periodicVariants, own[tilt + sensors])
                }
                rest = rest.dropFirst(periodicCount)
            }
            for sum in Self.periodicSums..<Self.sumCount {
                for (row, weight) in rest.prefix(plainCount).enumerated() { set(row, sum, weight) }
                rest = rest.dropFirst(plainCount)
            }
            self.levels = levels
        }

        /// Computes all sums of levels.
        func sumLevels(_ features: UnsafePointer<Float>, _ bias: Int, into sums: UnsafeMutablePointer<Float>) {
            let levels = UnsafePointer(features + MotionFeatures.curveCount)
            self.levels.withUnsafeBufferPointer { weights in
                guard let weights = weights.baseAddress else { return }
                motion_levels(
                    levels, Self.levelCount, weights, weights + (Self.levelCount + bias) * Self.laneCount, sums)
            }
        }
    }

    /// The weights that all periods of a kind share, the variants side by side.
    private struct PeriodWeights {
        let taps: [Float]
        /// Weights of the square of log T, and of its cube.
        let powers: [Float]

        init(_ table: ArraySlice<Float>, tapCount: Int) {
            func row(_ place: Int) -> [Float] {
                (0..<periodicVariants).map { table[table.startIndex + $0 * periodicCount + place] }
            }
            let powers = StateModel.tapCount + 2 * MotionFeatures.levelCount
            taps = (0..<tapCount).flatMap(row)
            self.powers = row(powers) + row(powers + 1)
        }
    }
}
