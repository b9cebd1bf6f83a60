/// Reads the times that devices send, whose unit is told by their magnitude.
///
/// Today is 1.8e9 s, 1.8e12 ms, 1.8e15 µs, 1.8e18 ns: the bounds between the units lie where no clock in use points.
enum DeviceTime {
    /// Microseconds since 1970 from a whole number of s, ms, µs or ns.
    static func microseconds(_ time: Int64) throws(WireError) -> Int64 {
        switch time {
        case 0..<100_000_000_000: return time * 1_000_000
        case 100_000_000_000..<100_000_000_000_000: return time * 1_000
        case 100_000_000_000_000..<100_000_000_000_000_000: return time
        case 100_000_000_000_000_000...: return time / 1_000
        default: throw .absurdTime
        }
    }

    /// Microseconds since 1970 from a number of s, ms, µs or ns.
    static func microseconds(_ time: Double) throws(WireError) -> Int64 {
        let scaled =
            switch time {
            case 0..<1e11: time * 1e6
            case 1e11..<1e14: time * 1e3
            case 1e14..<1e17: time
            default: time / 1e3
            }
        guard time >= 0, let microseconds = Int64(exactly: scaled.rounded()) else { throw .absurdTime }
        return microseconds
    }

    /// Microseconds from milliseconds of uptime.
    static func microseconds(milliseconds: Double) throws(WireError) -> Int64 {
        guard let microseconds = Int64(exactly: (milliseconds * 1e3).rounded()) else { throw .absurdTime }
        return microseconds
    }
}
