internal import Wire

/// The lives of a device that starts anew: each has its own boot, counts its frames from 0 and its uptime from its
/// start.
struct DeviceLife: Sendable {
    private var number: UInt64 = 0
    private var firstSequence: UInt64 = 0
    private var startMicroseconds: Int64 = 0

    /// Gives a frame the identity and the uptime of this life.
    func rename(_ frame: inout Frame) {
        guard number > 0 else { return }
        if case .sequenced(let boot, let sequence) = frame.identity {
            let name = BootID(rawValue: boot.rawValue &+ number &* 0x9e37_79b9_7f4a_7c15)
            frame.identity = .sequenced(boot: name, sequence: sequence &- firstSequence)
        }
        if case .uptime(let microseconds) = frame.time {
            frame.time = .uptime(microseconds: max(microseconds - startMicroseconds, 0))
        }
    }

    /// Begins a new life after a frame, given as it was before any renaming.
    mutating func reboot(after frame: Frame) {
        number += 1
        if case .sequenced(_, let sequence) = frame.identity { firstSequence = sequence &+ 1 }
        guard case .uptime(let microseconds) = frame.time else { return }
        var seconds = 0.0
        if case .uniform(let period) = frame.timing { seconds = Double(period) / 1e9 * Double(frame.sampleCount) }
        startMicroseconds = microseconds + Int64(seconds * 1e6)
    }
}
