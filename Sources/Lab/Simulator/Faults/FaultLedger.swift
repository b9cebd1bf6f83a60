public import Wire

/// What a fault injector did: every frame that came in is accounted for.
///
/// `offered + duplicated == sent + lost + held` at every moment, where `held` is 0 or 1, and 0 after `flush()`.
public struct FaultLedger: Sendable, Hashable {
    /// Frames that came in.
    public internal(set) var offered: UInt64 = 0
    /// Frames that went out, copies included.
    public internal(set) var sent: UInt64 = 0
    /// Frames that never went out.
    public internal(set) var lost: UInt64 = 0
    /// Copies beyond the first.
    public internal(set) var duplicated: UInt64 = 0
    /// Frames that went out after the one that followed them.
    public internal(set) var reordered: UInt64 = 0
    /// Starts of the device beyond the first.
    public internal(set) var reboots: UInt64 = 0
    /// Frames held back at the moment.
    public internal(set) var held: UInt64 = 0
    /// What truly happened in the frames that were lost.
    public internal(set) var lostTruth = MotionTruth()
    /// The frames that were lost, by the identity they would have had; the first `maximumNamedLosses`.
    public internal(set) var lostFrames: [FrameIdentity] = []

    /// The most lost frames that are named.
    public static let maximumNamedLosses = 65_536

    /// Nothing happened yet.
    public init() {}

    mutating func lose(_ identity: FrameIdentity, _ truth: MotionTruth) {
        lost += 1
        lostTruth = lostTruth + truth
        if lostFrames.count < Self.maximumNamedLosses { lostFrames.append(identity) }
    }
}
