/// One device message on the internal hop from ingest to counter.
package struct MotionRecord: Sendable, Equatable {
    /// The device that sent the message.
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
    /// A momentary cadence without a count (`…/ftms`), in revolutions a minute.
    case cadence(rpm: Float, identity: FrameIdentity, time: FrameTime)
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
package struct MotionBatchEncoder: Sendable {
    /// The first bytes of a batch: "SBM" and the version of the layout. Version 2 adds frames with pressures, version 3
    /// activities, version 4 steps of recordings and fractions of steps, version 5 packed samples and names of devices. A
    /// batch states the lowest version that can hold its records, so that a counter older than it says so.
    static let header: [UInt8] = [0x53, 0x42, 0x4D, 1]
    static let versions: ClosedRange<UInt8> = 1...5

    /// The size at which a batch is full, in bytes.
    package let maximumBytes: Int
    /// The number of records in the batch.
    package private(set) var recordCount = 0
    private var writer: ByteWriter
    private var version = Self.versions.lowerBound

    package init(maximumBytes: Int = 65_536) {
        self.maximumBytes = maximumBytes
        writer = ByteWriter(capacity: maximumBytes)
        writer.write(contentsOf: Self.header)
    }

    /// The batch, ready to be published.
    package var bytes: [UInt8] { writer.bytes }

    /// True if there is no record in the batch.
    package var isEmpty: Bool { recordCount == 0 }

    /// Adds a record, or returns `false` and adds nothing if it does not fit.
    ///
    /// A record larger than a batch is sent as a batch of one; `FrameLimits` bounds its size.
    package mutating func append(_ record: MotionRecord) -> Bool {
        let start = writer.count
        writer.write(record)
        if writer.count > maximumBytes && recordCount > 0 {
            writer.truncate(to: start)
            return false
        }
        recordCount += 1
        if record.version > version {
            version = record.version
            writer.overwrite(at: Self.header.count - 1, with: version)
        }
        return true
    }

    /// Starts the next batch in the same storage.
    package mutating func removeAll() {
        writer.removeAll()
        writer.write(contentsOf: Self.header)
        recordCount = 0
        version = Self.versions.lowerBound
    }
}

extension MotionRecord {
    /// The lowest version of the layout that can hold the record.
    fileprivate var version: UInt8 {
        switch content {
        case .activity: 3
        case .frame, .name: 5
        case .steps(let count): count.kind == .recording || count.microSteps != 0 ? 4 : 1
        default: 1
        }
    }
}

/// Reads the records of a motion batch, one after another.
///
/// The bytes belong to the caller and must outlive the decoder.
package struct MotionBatchDecoder {
    private var reader: ByteReader

    /// Checks the header; throws `.unsupportedVersion` for an unknown layout version.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        reader = ByteReader(bytes)
        _ = try reader.readHeader(MotionBatchEncoder.header.dropLast(), versions: MotionBatchEncoder.versions)
    }

    /// The next record; `nil` after the last.
    package mutating func next() throws(WireError) -> MotionRecord? {
        guard !reader.isAtEnd else { return nil }
        return try reader.readRecord(reusing: Frame())
    }

    /// Reads the next record into a reused one, and keeps the storage of its frame.
    ///
    /// Returns `false` after the last record, and leaves `record` unchanged.
    package mutating func next(into record: inout MotionRecord) throws(WireError) -> Bool {
        guard !reader.isAtEnd else { return false }
        var storage = Frame()
        if case .frame(let frame) = record.content {
            storage = frame
            record.content = .refusal(.emptyPayload, count: 0)
        }
        record = try reader.readRecord(reusing: consume storage)
        return true
    }
}
