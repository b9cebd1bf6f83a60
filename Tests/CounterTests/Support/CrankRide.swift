import Foundation
import TestBroker
import Wire

/// Somebody who pedals evenly with a sensor on the crank at 50 Hz, as frames of a second each.
struct CrankRide {
    /// When the ride begins, UTC in microseconds.
    let start: Int64
    let device: DeviceID
    /// Revolutions a second.
    private let rateHz = 1.1

    init(_ device: DeviceID = "bike-1", start: Int64) { (self.device, self.start) = (device, start) }

    /// The acceleration and the rate of rotation of a sample, in m/s² and rad/s.
    private func values(_ index: Int) -> [Float] {
        let omega = 2 * Double.pi * rateHz
        let phase = omega * Double(index) / 50
        return [9.81 * cos(phase) + 7, 9.81 * sin(phase), 0.3, 0, 0, omega].map { Float($0) }
    }

    /// Records of frames of a second each.
    func records(seconds: Range<Int>) -> [MotionRecord] {
        seconds.map { second in
            let frame = Frame(
                boot: 1, sequence: UInt64(second), startMicroseconds: start + Int64(second) * 1_000_000,
                sensors: [.acceleration, .angularVelocity], rows: (second * 50..<(second + 1) * 50).map { values($0) })
            return MotionRecord(
                device: device, arrivalMicroseconds: start + Int64(second + 1) * 1_000_000, content: .frame(frame))
        }
    }
}

extension MotionRecord {
    /// What a crank says that counts its own turns.
    /// - Parameters:
    ///   - sequence: The number of the message; without one it is known by what it says.
    ///   - event: The time of the last turn in 1/1024 s, which is then the only time.
    static func crank(
        _ cumulative: UInt64, of device: DeviceID, at microseconds: Int64, sequence: UInt64? = nil,
        modulus: UInt64 = 65_536, event: UInt16? = nil
    ) -> MotionRecord {
        let identity: FrameIdentity =
            sequence.map { .sequenced(boot: BootID(rawValue: 1), sequence: $0) }
            ?? .unsequenced(contentHash: cumulative)
        let count = RevolutionCount(
            identity: identity, time: event == nil ? .utc(microseconds: microseconds) : .absent, cumulative: cumulative,
            modulus: modulus, lastEventTime1024: event)
        return MotionRecord(device: device, arrivalMicroseconds: microseconds, content: .revolutions(count))
    }
}
