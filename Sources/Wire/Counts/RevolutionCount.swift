/// A crank's running count, as CSC sensors and reed switches tell it.
public struct RevolutionCount: Sendable, Equatable {
    /// Who the message is.
    public var identity: FrameIdentity
    /// When it was sent.
    public var time: FrameTime
    /// Revolutions so far, in `modulus` arithmetic.
    public var cumulative: UInt64
    /// Where the count wraps to 0: 65,536 for CSC crank data; 0 if it never does.
    public var modulus: UInt64
    /// The time of the last revolution in units of 1/1024 s, modulo 65,536, where the source tells it (CSC).
    public var lastEventTime1024: UInt16?

    /// A count from its parts.
    public init(
        identity: FrameIdentity, time: FrameTime, cumulative: UInt64, modulus: UInt64, lastEventTime1024: UInt16?
    ) {
        self.identity = identity
        self.time = time
        self.cumulative = cumulative
        self.modulus = modulus
        self.lastEventTime1024 = lastEventTime1024
    }
}
