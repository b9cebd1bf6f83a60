import Wire

/// Gives frames the numbers that they are known by: a boot of its own, and for each device 0, 1, 2 …
///
/// The boot is a new one whenever the queue is opened. Going on with the old numbers would need to know the last one,
/// and after a power cut the file may have lost it while the broker has the frame: two frames of one number would be
/// counted as one.
struct FrameNumbering: Sendable {
    let boot: BootID
    private var next: [DeviceID: UInt64] = [:]

    init(boot: BootID) {
        self.boot = boot
    }

    /// A boot that no other has: 53 random bits, which every reader of JSON takes.
    static func newBoot() -> BootID { BootID(rawValue: .random(in: 1...(1 << 53))) }

    /// The frame with a number: its own where it has one, else the device's next.
    mutating func number(_ frame: Frame, of device: DeviceID) throws(MotionQueueError) -> Frame {
        guard case .unsequenced = frame.identity else { return frame }
        guard next[device] != nil || next.count < MotionQueue.maximumDevices else { throw .tooManyDevices }
        var frame = frame
        let sequence = next[device, default: 0]
        frame.identity = .sequenced(boot: boot, sequence: sequence)
        next[device] = sequence &+ 1
        return frame
    }
}
