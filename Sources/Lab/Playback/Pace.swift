/// How the time in frames goes with the time on the wall.
public struct Pace: Sendable, Hashable {
    /// Seconds of frames in a second on the wall.
    public let speed: Double
    /// What a device's clock shows at the start: microseconds since 1970.
    public let startMicroseconds: Int64
    private let wallStartMicroseconds: Int64

    /// The slowest and the fastest speed.
    public static let speedRange = 0.01...10_000.0

    /// A pace that starts now.
    ///
    /// Frames must not come from the future. Faster than real time, their clocks therefore start in the past, so that
    /// they show the time on the wall when `seconds` of frames have been played.
    ///
    /// - Parameters:
    ///   - speed: seconds of frames in a second on the wall; brought into `speedRange`.
    ///   - seconds: how many seconds of frames will be played at most.
    ///   - nowMicroseconds: the time on the wall, in microseconds since 1970.
    public init(speed: Double, seconds: Double, nowMicroseconds: Int64) {
        let speed = speed.isFinite ? min(max(speed, Self.speedRange.lowerBound), Self.speedRange.upperBound) : 1
        let ahead = max(0, seconds - seconds / speed)
        self.speed = speed
        wallStartMicroseconds = nowMicroseconds
        startMicroseconds = nowMicroseconds - Int64((min(ahead, 1e9) * 1e6).rounded())
    }

    /// What a device's clock shows at a time on the wall.
    public func deviceMicroseconds(atWall wallMicroseconds: Int64) -> Int64 {
        startMicroseconds + Int64((Double(wallMicroseconds - wallStartMicroseconds) * speed).rounded())
    }

    /// How long to wait on the wall until a device's clock shows a time, in seconds; 0 when it is past.
    public func waitSeconds(untilDevice deviceMicroseconds: Int64, nowMicroseconds: Int64) -> Double {
        max(0, Double(deviceMicroseconds - self.deviceMicroseconds(atWall: nowMicroseconds)) / speed / 1e6)
    }
}
