extension Placement {
    /// Whether the sensor sits where gestures turn it.
    var mayTurn: Bool { isArm || self == .unknown }

    /// Whether an arm moves it.
    var isArm: Bool { self == .wrist || self == .hand }

    /// Whether it may sit on a wrist, whose hand has work of its own.
    var isOnArm: Bool { self == .wrist || self == .unknown }

    /// Whether it may hang on a leg that pedals: who told of a wrist, a hand, a bag or a back told that it does not.
    var mayBeOnLeg: Bool { isLeg || self == .pocket || self == .hip || self == .unknown }

    /// The same, but not on a belt above it.
    var maySwingWithLeg: Bool { mayBeOnLeg && self != .hip }

    /// Whether it sits on a thigh that may pedal, or in a pocket, which may be on one.
    var mayBeOnThigh: Bool { self == .thigh || self == .pocket }

    /// The longest time from one to the next that is believed, s.
    var longestFootfallInterval: Float {
        mayTurn ? FootfallThresholds.longestArmInterval : Float(FootfallThresholds.longestGapMicroseconds) * 1e-6
    }

    /// Whether the sensor sits where little but footfalls is felt.
    var isTrunk: Bool { self == .hip || self == .back }

    /// Whether feet are heard there beside what swings.
    var hearsFeet: Bool { isTrunk || mayBeOnThigh || self == .bag || mayTurn }

    /// So many soft steps begin a walk that are told from what else moves there: bags are handled, and hands move.
    var mostSoftSteps: Int { mayTurn || self == .bag ? 1 : FootfallThresholds.mostSoftSteps }

    /// The least height of a footfall that may be a soft first step, m/s².
    var leastFootfallHeight: Float { isTrunk ? FootfallThresholds.softHeight : FootfallThresholds.height }

    /// From one footfall that is heard to the next of the same walk, in intervals of its rate.
    var footfallGaps: ClosedRange<Float> {
        isBelowKnee ? ShankThresholds.footfallGaps : mayTurn ? FootfallThresholds.armGaps : FootfallThresholds.gaps
    }
}
