/// Packs device messages into one message of the hop from ingest to counter.
public struct MotionBatchEncoder: Sendable {
    /// What every batch starts with: "SBM" and the version of the layout. Version 2 may hold frames with pressures; a
    /// batch without any says 1, so that counters that know no pressures read it.
    static let header: [UInt8] = [0x53, 0x42, 0x4D, 1]
    static let versions: ClosedRange<UInt8> = 1...2

    /// The bytes of a batch that is full.
    public let maximumBytes: Int
    /// The number of records in the batch.
    public private(set) var recordCount = 0
    private var writer: ByteWriter

    /// An empty batch.
    public init(maximumBytes: Int = 65_536) {
        self.maximumBytes = maximumBytes
        writer = ByteWriter(capacity: maximumBytes)
        writer.write(contentsOf: Self.header)
    }

    /// The batch, ready to be published.
    public var bytes: [UInt8] { writer.bytes }

    /// Whether there is no record in the batch.
    public var isEmpty: Bool { recordCount == 0 }

    /// Adds a record, or returns `false` and adds nothing when it does not fit.
    ///
    /// A record that alone is larger than a batch travels as a batch of one; `FrameLimits` bound it.
    public mutating func append(_ record: MotionRecord) -> Bool {
        let start = writer.count
        writer.write(record)
        if writer.count > maximumBytes && recordCount > 0 {
            writer.truncate(to: start)
            return false
        }
        recordCount += 1
        if record.hasPressures { writer.overwrite(at: Self.header.count - 1, with: Self.versions.upperBound) }
        return true
    }

    /// Starts the next batch in the same storage.
    public mutating func removeAll() {
        writer.removeAll()
        writer.write(contentsOf: Self.header)
        recordCount = 0
    }
}

extension MotionRecord {
    fileprivate var hasPressures: Bool {
        if case .frame(let frame) = content { !frame.pressuresHectopascals.isEmpty } else { false }
    }
}
