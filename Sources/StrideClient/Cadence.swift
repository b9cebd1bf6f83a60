public import Wire

/// A device's cadence as it is now, in revolutions or steps a minute.
public struct Cadence: Sendable {
    /// The bus.
    public let bus: StrideBus
    /// The device.
    public let device: DeviceID

    /// The cadence of a device; nothing is listened to yet.
    public init(bus: StrideBus, device: DeviceID) {
        self.bus = bus
        self.device = device
    }

    /// Reports from now on: one a second while somebody moves, and one final 0. Ends with its task, or with the bus.
    public var reports: AsyncStream<CadenceReport> {
        let messages = bus.messages(of: device, on: .cadence)
        return AsyncStream { continuation in
            let task = Task {
                for await message in messages {
                    if let report = try? CadenceReport(json: message) { continuation.yield(report) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
