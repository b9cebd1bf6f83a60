/// The thresholds of single footfalls: of those that short bouts are counted by, and of the soft ones at the edges of a
/// walk.
enum FootfallThresholds {
    /// The least height of a peak of the smoothed |a|, its least deviation, m/s², and the share of |a| in the movement
    /// about it.
    static let height: Float = 0.3
    static let deviation: Float = 0.3
    static let normShare: Float = 0.3
    /// The height and the deviation of soft first steps on a trunk, m/s².
    static let softHeight: Float = 0.12
    /// So many footfalls make a bout at least, however likely; and on an arm whose bearer has not walked of late.
    static let leastCount = 4
    static let leastFirstArmCount = 6
    /// So many soft steps begin or end a walk at most.
    static let mostSoftSteps = 2
    /// The first and the last step: the time to the next to them, in intervals of the others, and the height over their
    /// mean.
    static let edgeGaps: ClosedRange<Float> = 0.7...1.6
    static let edgeHeights: ClosedRange<Float> = 0.4...1.5
    /// The longest time from one to the next, µs.
    static let longestGapMicroseconds: Int64 = 1_600_000
    /// The longest mean interval where gestures are felt, s: arms, too, go up and down once a second.
    static let longestArmInterval: Float = 1
    /// From one footfall to the next of the same walk, in intervals of its rate; and on an arm, which swings once in
    /// two steps: one foot may be heard, and the other not.
    static let gaps: ClosedRange<Float> = 0.5...1.6
    static let armGaps: ClosedRange<Float> = 0.5...2.4
    /// A footfall so soon after what is counted is counted, µs.
    static let marginMicroseconds: Int64 = 250_000
}
