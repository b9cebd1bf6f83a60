/// How one simulated ride was counted.
package struct RideResult: Sendable, Equatable {
    /// A cadence within this share of double or half the true one is wrong by an octave.
    static let octaveShare = 0.08

    /// What made it hard.
    package let conditions: RideConditions
    /// Revolutions that the crank made.
    package let trueRevolutions: Int
    /// Revolutions that were counted.
    package let revolutions: Int
    /// Steps that were counted; nobody made any.
    package let steps: Int
    /// How long the ride was, in seconds.
    package let seconds: Int
    /// Seconds in which the crank turned.
    package private(set) var movingSeconds = 0
    /// Those whose cadence was within `ConfidenceTally.rightRPM` of the true one.
    package private(set) var rightSeconds = 0
    /// Those without a cadence.
    package private(set) var silentSeconds = 0
    /// Those whose cadence was about double or half of the true one.
    package private(set) var octaveSeconds = 0
    /// Seconds in which the crank stood still.
    package private(set) var restSeconds = 0
    /// Those with a cadence.
    package private(set) var falseSeconds = 0
    /// How far the others were off, in rpm.
    package private(set) var absoluteErrors: [Double] = []
    /// How often each confidence was right.
    package private(set) var confidence = ConfidenceTally()

    /// A ride of which no second has been compared yet.
    init(conditions: RideConditions, trueRevolutions: Int, revolutions: Int, steps: Int, seconds: Int) {
        self.conditions = conditions
        self.trueRevolutions = trueRevolutions
        self.revolutions = revolutions
        self.steps = steps
        self.seconds = seconds
    }

    /// Compares a second.
    ///
    /// - Parameters:
    ///   - truth: the true cadence in rpm; 0 while the crank stands still.
    ///   - reported: the cadence that was told, in rpm; 0 for none.
    ///   - confidence: what was said of it.
    mutating func add(truth: Double, reported: Double, confidence said: Double) {
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
        confidence.add(confidence: said, isRight: abs(reported - truth) <= ConfidenceTally.rightRPM)
        let isOctave = [0.5, 2].contains { abs(reported / truth - $0) <= Self.octaveShare * $0 }
        if isOctave { octaveSeconds += 1 } else { absoluteErrors.append(abs(reported - truth)) }
        if abs(reported - truth) <= ConfidenceTally.rightRPM { rightSeconds += 1 }
    }

    /// The absolute percentage error of the revolutions; nil where there were none.
    package var revolutionError: Double? {
        trueRevolutions > 0 ? 100 * Double(abs(revolutions - trueRevolutions)) / Double(trueRevolutions) : nil
    }
}
