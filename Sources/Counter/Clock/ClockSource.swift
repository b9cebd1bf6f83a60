import Wire

/// Where the time of a frame was taken from, best first.
enum ClockSource: UInt8, Sendable {
    /// Nothing has come yet.
    case none
    /// The device's own UTC.
    case utc
    /// The device's uptime, put on UTC by arrivals.
    case uptime
    /// The end of the frame before, and the frames and samples since.
    case sequence
    /// When ingest received the frame.
    case arrival

    /// The same on the bus; `nil` before the first frame.
    var origin: TimeOrigin? {
        switch self {
        case .none: nil
        case .utc: .device
        case .uptime: .uptime
        case .sequence: .samples
        case .arrival: .arrival
        }
    }
}

/// What is wrong with a device's clock.
enum ClockProblem: UInt8, Sendable {
    /// Nothing.
    case none
    /// Its UTC is before 2020.
    case unset
    /// Its UTC is ahead of the arrival by more than the tolerance.
    case ahead
    /// Its UTC or uptime went back; time goes on by the number of samples meanwhile.
    case steppedBack
}

/// The limits of time.
enum ClockLimits {
    /// 2020-01-01T00:00:00Z in microseconds: an earlier clock has not been set.
    static let earliestMicroseconds: Int64 = 1_577_836_800_000_000
    /// How far a device's UTC may be ahead of the arrival, in microseconds.
    static let aheadMicroseconds: Int64 = 300_000_000
    /// Overlaps up to this, in microseconds, are jitter: the frame is squeezed until it fits.
    static let jitterMicroseconds: Int64 = 2_000_000
    /// A clock that went back is believed after so much time of samples and of arrivals, in microseconds.
    static let beliefMicroseconds: Int64 = 10_000_000
    /// A device without a clock that is behind its arrivals by more than this, in microseconds, had paused.
    static let pauseMicroseconds: Int64 = 60_000_000
    /// The longest time that missing frames are taken to have lasted, in microseconds.
    static let bridgeMicroseconds: Int64 = 86_400_000_000
}
