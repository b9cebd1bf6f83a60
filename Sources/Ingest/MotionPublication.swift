public import Wire

/// A motion batch that is ready to go to the counter of its partition.
public struct MotionPublication: Sendable, Hashable {
    /// The partition of every device in it.
    public var partition: Partition
    /// The batch, for `MotionBatchDecoder`.
    public var payload: [UInt8]

    /// A publication from its parts.
    public init(partition: Partition, payload: [UInt8]) {
        self.partition = partition
        self.payload = payload
    }
}
