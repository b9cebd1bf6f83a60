/// A part of a device's state that is written, versioned and read by itself.
///
/// A counter takes up what it can read and begins the rest anew, so that a program one version older or newer goes on
/// with the same frames known as counted. Numbers are never used again for something else.
enum StateSection: UInt8, CaseIterable {
    /// Which messages have come, and the totals that were told. Without it no frame can be told from a counted one.
    case identity = 1
    /// The numbers of a device that counts by itself.
    case selfCounting = 2
    /// The time of the stream of frames in order, and its signal.
    case liveTime = 3
    case liveSignal = 4
    /// The same for the stream of late frames, where there is one.
    case lateTime = 5
    case lateSignal = 6
    /// What was told last.
    case reports = 7
    /// What is wrong.
    case health = 8
    /// Where a crank's running count began.
    case crankOrigin = 9
    /// How fast steps follow one another.
    case stepRate = 10
    /// The way towards the next floor, and the pressures and steps that wait.
    case floors = 11
    /// What stands in for what a silent signal holds back, and what the live topics told of it.
    case standIn = 12

    /// The layout of the section's fields; raised with any change of it.
    var version: UInt8 { self == .liveSignal || self == .lateSignal ? 4 : 1 }
}
