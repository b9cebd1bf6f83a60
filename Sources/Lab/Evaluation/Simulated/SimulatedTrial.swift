/// The conditions of a simulated trial, and the form of its results.
package protocol SimulatedConditions: Sendable, Hashable {
    /// The reported cadence that belongs to it: `rpm` of a ride, `spm` of a walk.
    static func cadence(of second: CountSecond) -> Double

    /// The person under these conditions for a time, in seconds, with a sensor at a placement.
    func actor(_ placement: SimulatedPlacement, seconds: Int) -> SimulatedActor
}

/// One simulated walk or ride, counted by the counter's own pipeline.
package struct SimulatedTrial<Conditions: SimulatedConditions>: Sendable, Equatable {
    /// The activity.
    package let conditions: Conditions
    /// The placement of the sensor.
    package let placement: SimulatedPlacement
    /// The duration, in seconds.
    package let seconds: Int
    /// Steps and crank revolutions that were made.
    package let truth: (steps: Int, revolutions: Int)
    /// Steps and crank revolutions that were counted.
    package let counted: (steps: Int, revolutions: Int)
    /// The reported cadence, second by second.
    package internal(set) var cadence = CadenceTally()

    /// A trial of which no second has been compared yet.
    init(
        _ conditions: Conditions, _ placement: SimulatedPlacement, seconds: Int,
        truth: (steps: Int, revolutions: Int), counted: (steps: Int, revolutions: Int)
    ) {
        self.conditions = conditions
        self.placement = placement
        self.truth = truth
        self.counted = counted
        self.seconds = seconds
    }

    /// Simulates it and counts it.
    ///
    /// - Parameters:
    ///   - conditions: what is done.
    ///   - placement: where the sensor is.
    ///   - seconds: for how long.
    ///   - device: how the device samples, and whether the counter knows what it is.
    ///   - seed: everything random is drawn from it.
    /// - Throws: `WireError` where the counter refuses the device.
    package init(
        _ conditions: Conditions, _ placement: SimulatedPlacement, seconds: Int, device: EvaluatedDevice, seed: UInt64
    ) throws {
        let count = try SimulatedCount(
            conditions.actor(placement, seconds: seconds), seconds: seconds, device: device, seed: seed)
        self.init(
            conditions, placement, seconds: seconds, truth: (count.truth.steps, count.truth.revolutions),
            counted: (count.steps, count.revolutions))
        for second in SettledSecond.all(of: count, seconds: seconds) {
            cadence.add(
                truth: second.cadence, reported: Conditions.cadence(of: second.told),
                confidence: second.told.confidence)
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.conditions == right.conditions && left.placement == right.placement && left.seconds == right.seconds
            && left.truth == right.truth
            && left.counted == right.counted && left.cadence == right.cadence
    }

    /// The absolute error of the steps, in percent; nil where none were made.
    package var stepError: Double? { Self.error(counted.steps, of: truth.steps) }

    /// The absolute error of the revolutions, in percent; nil where none were made.
    package var revolutionError: Double? { Self.error(counted.revolutions, of: truth.revolutions) }

    private static func error(_ counted: Int, of truth: Int) -> Double? {
        truth > 0 ? 100 * Double(abs(counted - truth)) / Double(truth) : nil
    }
}

/// The reported cadence compared with the true one, in seconds that are not next to a stop or a start.
package struct CadenceTally: Sendable, Equatable {
    /// A cadence within this share of double or half the true one is wrong by an octave.
    static let octaveShare = 0.08

    /// Seconds of movement.
    package private(set) var movingSeconds = 0
    /// Those whose cadence was within `ConfidenceTally.rightRPM` of the true one.
    package private(set) var rightSeconds = 0
    /// Those without a cadence.
    package private(set) var silentSeconds = 0
    /// Those whose cadence was about double or half of the true one.
    package private(set) var octaveSeconds = 0
    /// Seconds at rest.
    package private(set) var restSeconds = 0
    /// Those with a cadence.
    package private(set) var falseSeconds = 0
    /// The absolute errors of the others, per minute.
    package private(set) var absoluteErrors: [Double] = []
    /// The share of right cadences at each confidence.
    package private(set) var confidence = ConfidenceTally()

    /// Compares a second.
    ///
    /// - Parameters:
    ///   - truth: the true cadence per minute; 0 at rest.
    ///   - reported: the reported cadence per minute; 0 for none.
    ///   - confidence: the confidence that was reported with it.
    mutating func add(truth: Double, reported: Double, confidence reportedConfidence: Double) {
        guard truth > 0 else {
            restSeconds += 1
            falseSeconds += reported > 0 ? 1 : 0
            return
        }
        movingSeconds += 1
        guard reported > 0 else {
            silentSeconds += 1
            return
        }
        let isRight = abs(reported - truth) <= ConfidenceTally.rightRPM
        confidence.add(confidence: reportedConfidence, isRight: isRight)
        let isOctave = [0.5, 2].contains { abs(reported / truth - $0) <= Self.octaveShare * $0 }
        if isOctave { octaveSeconds += 1 } else { absoluteErrors.append(abs(reported - truth)) }
        if isRight { rightSeconds += 1 }
    }
}

/// A table of trials with a line for each of their conditions, in the order of their first trial.
package struct TrialTable<Conditions: SimulatedConditions>: Sendable {
    /// A column: its heading, and its cell for the trials of one line.
    struct Column: Sendable {
        let heading: TextTable.Column
        let cell: @Sendable ([SimulatedTrial<Conditions>]) -> String

        /// A column of numbers.
        static func number(
            _ heading: String, _ cell: @escaping @Sendable ([SimulatedTrial<Conditions>]) -> String
        ) -> Column {
            Column(heading: .numbers(heading), cell: cell)
        }

        /// A number of the trials' cadence as a share of another, in percent.
        static func share(
            _ heading: String, _ part: @escaping @Sendable (CadenceTally) -> Int,
            of whole: @escaping @Sendable (CadenceTally) -> Int
        ) -> Column {
            .number(heading) { trials in
                EvaluationReport.percent(
                    trials.map { part($0.cadence) }, of: trials.map { whole($0.cadence) })
            }
        }

        /// The mean of an error that not every trial has.
        static func mean(
            _ heading: String, _ error: @escaping @Sendable (SimulatedTrial<Conditions>) -> Double?
        ) -> Column {
            .number(heading) { trials in
                EvaluationReport.text(ErrorDistribution(trials.compactMap(error))?.mean, decimals: 1)
            }
        }

        /// The greatest error of any trial.
        static func worst(
            _ heading: String, _ error: @escaping @Sendable (SimulatedTrial<Conditions>) -> Double?
        ) -> Column {
            .number(heading) { trials in
                EvaluationReport.text(trials.compactMap(error).max(), decimals: 1)
            }
        }

        /// A count a minute.
        static func perMinute(
            _ heading: String, _ count: @escaping @Sendable (SimulatedTrial<Conditions>) -> Int
        ) -> Column {
            .number(heading) { trials in
                let minutes = Double(trials.reduce(0) { $0 + $1.seconds }) / 60
                return EvaluationReport.text(Double(trials.reduce(0) { $0 + count($1) }) / minutes, decimals: 1)
            }
        }
    }

    let columns: [Column]
    let trials: [SimulatedTrial<Conditions>]

    /// The table, a line each under a heading.
    package var lines: [String] {
        var table = TextTable(columns: columns.map(\.heading))
        var seen: Set<Conditions> = []
        for conditions in trials.map(\.conditions) where seen.insert(conditions).inserted {
            let group = trials.filter { $0.conditions == conditions }
            table.append(columns.map { $0.cell(group) })
        }
        return table.lines
    }

    /// The share of right cadences at each confidence, a line each; tenths without a report are left out.
    package var confidenceLines: [String] {
        var table = TextTable(columns: [.numbers("confidence"), .numbers("right"), .numbers("seconds")])
        let tally = trials.reduce(into: ConfidenceTally()) { $0.add($1.cadence.confidence) }
        for bin in tally.bins where bin.seconds > 0 {
            let seconds = Double(bin.seconds)
            table.append([
                EvaluationReport.text(bin.confidence / seconds, decimals: 2),
                EvaluationReport.text(Double(bin.right) / seconds, decimals: 2), "\(bin.seconds)",
            ])
        }
        return table.lines
    }
}
