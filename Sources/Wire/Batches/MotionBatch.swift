/// One device message on the internal hop from ingest to counter.
package struct MotionRecord: Sendable, Equatable {
    package var device: DeviceID
    /// The time at which ingest received it: microseconds since 1970, UTC.
    package var arrivalMicroseconds: Int64
    package var content: MotionContent

    package init(device: DeviceID, arrivalMicroseconds: Int64, content: MotionContent) {
        self.device = device
        self.arrivalMicroseconds = arrivalMicroseconds
        self.content = content
    }
}

/// The content of a device message, as ingest has read it.
package enum MotionContent: Sendable, Equatable {
    /// Raw samples.
    case frame(Frame)
    /// A running count of crank revolutions (`…/rev`, `…/csc`).
    case revolutions(RevolutionCount)
    /// A cadence without a count, a heart rate or a power (`…/hr`, `…/csc`, `…/ftms`).
    case reading(Reading)
    /// What another device recorded (`…/seconds`).
    case recorded(RecordedSeconds)
    /// Steps counted by the device itself (`…/count`).
    case steps(DeviceStepCount)
    /// The wearer's activity as the device reports it, at a time in microseconds since 1970.
    case activity(ActivityKind, ActivityConfidence, atMicroseconds: Int64)
    /// The device's name in the system that it comes from: at most `PayloadLimits.maximumTextBytes`.
    case name(String)
    /// Messages of this device that ingest refused since its last report.
    case refusal(WireError, count: UInt32)
}

/// Packs device messages into one message of the hop from ingest to counter.
///
/// A batch is "SBM", the version of the layout, and its records, each behind its length in four bytes: one that cannot be
/// read harms no other.
package struct MotionBatchEncoder: Sendable {
    static let mark = "SBM"
    static let version: UInt8 = 2

    /// The size at which a batch is full, in bytes.
    package let maximumBytes: Int
    /// The number of records in the batch.
    package private(set) var recordCount = 0
    private var writer = ByteWriter()

    package init(maximumBytes: Int = 65_536) {
        self.maximumBytes = maximumBytes
        writer = ByteWriter(capacity: maximumBytes)
        begin()
    }

    private mutating func begin() {
        writer.write(contentsOf: Self.mark.utf8)
        writer.write(Self.version)
    }

    /// The batch, ready to be published.
    package var bytes: [UInt8] { writer.bytes }

    package var isEmpty: Bool { recordCount == 0 }

    /// Adds a record, or returns `false` and adds nothing if it does not fit.
    ///
    /// A record larger than a batch is sent as a batch of one; `FrameLimits` bounds its size.
    package mutating func append(_ record: MotionRecord) -> Bool {
        let start = writer.count
        var (coder, record) = (ByteCoder(writer), record)
        // Only the coder holds the bytes, or its first write would copy them.
        writer = ByteWriter()
        _ = coder.code(apart: { record.code(&$0) })
        writer = (consume coder).writer
        if writer.count > maximumBytes && recordCount > 0 {
            writer.truncate(to: start)
            return false
        }
        recordCount += 1
        return true
    }

    /// Starts the next batch in the same storage.
    package mutating func removeAll() {
        writer.removeAll()
        begin()
        recordCount = 0
    }
}

/// Reads the records of a motion batch, one after another.
///
/// A record whose content cannot be read is a refusal of its device; one whose device cannot be read is left out and
/// counted. The bytes belong to the caller and must outlive the decoder.
package struct MotionBatchDecoder {
    private var coder: ByteCoder
    /// The records so far of which not even the device can be read.
    package private(set) var unreadableCount: UInt64 = 0

    /// Checks the header; throws `.unsupportedVersion` for another layout.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        coder = ByteCoder(reading: bytes)
        coder.code(MotionBatchEncoder.mark, version: MotionBatchEncoder.version)
        if let problem = coder.problem { throw problem }
    }

    package mutating func next() -> MotionRecord? {
        while let bytes = nextBytes() {
            if let record = Self.read(bytes, reusing: Frame()) { return record }
            unreadableCount += 1
        }
        return nil
    }

    /// The bytes of the next record, unread; `nil` after the last.
    package mutating func nextBytes() -> UnsafeRawBufferPointer? {
        guard !coder.isAtEnd else { return nil }
        let length = coder.code(count: 0, maximum: .max)
        // Where a length is wrong nobody knows where the next record begins, and nothing more is read.
        if let bytes = coder.read({ reader throws(WireError) in try reader.readBytes(length) }) { return bytes }
        unreadableCount += 1
        return nil
    }

    /// Reads a record, a frame into `storage`; `nil` where not even the device can be read.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, reusing storage: consuming Frame
    ) -> MotionRecord? {
        var coder = ByteCoder(reading: bytes)
        var record = MotionRecord(
            device: DeviceID(), arrivalMicroseconds: 0, content: .refusal(.emptyPayload, count: 0))
        coder.code(&record.device)
        coder.code(bits: &record.arrivalMicroseconds)
        guard !coder.isInvalid else { return nil }
        record.content.code(&coder, reusing: consume storage)
        if !coder.isAtEnd { coder.reject() }
        if let problem = coder.problem { record.content = .refusal(problem, count: 1) }
        return record
    }

    /// The device of a record whose content stays unread.
    package static func device(in bytes: UnsafeRawBufferPointer) -> DeviceID? {
        var reader = ByteReader(bytes)
        return try? reader.readDevice()
    }
}
