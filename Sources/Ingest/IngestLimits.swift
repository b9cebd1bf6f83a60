/// What ingest keeps, at most.
public struct IngestLimits: Sendable, Hashable {
    /// Devices that have been accepted since the start; a new one beyond is refused.
    public var maximumDevices: Int
    /// Devices with refusals that are being told; refusals of further ones are counted in all, but not told by device.
    public var maximumRefusedDevices: Int
    /// The least time between two tellings of one device's refusals, in microseconds.
    public var refusalIntervalMicroseconds: Int64
    /// The bytes of a motion batch that is full.
    public var maximumBatchBytes: Int

    /// Limits.
    public init(
        maximumDevices: Int = 100_000, maximumRefusedDevices: Int = 1_024,
        refusalIntervalMicroseconds: Int64 = 1_000_000, maximumBatchBytes: Int = 65_536
    ) {
        self.maximumDevices = maximumDevices
        self.maximumRefusedDevices = maximumRefusedDevices
        self.refusalIntervalMicroseconds = refusalIntervalMicroseconds
        self.maximumBatchBytes = maximumBatchBytes
    }
}
