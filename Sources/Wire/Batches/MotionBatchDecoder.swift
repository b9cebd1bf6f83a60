/// Takes the records out of a motion batch, one after another.
///
/// The bytes belong to the caller and must outlive the decoder.
public struct MotionBatchDecoder {
    private var reader: ByteReader

    /// Checks the header; throws `.unsupportedVersion` for a layout that is not ours.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        reader = ByteReader(bytes)
        _ = try reader.readHeader(MotionBatchEncoder.header.dropLast(), versions: MotionBatchEncoder.versions)
    }

    /// The next record; `nil` after the last.
    public mutating func next() throws(WireError) -> MotionRecord? {
        guard !reader.isAtEnd else { return nil }
        return try reader.readRecord(reusing: Frame())
    }

    /// Puts the next record into one that is used again and again, keeping the storage of its frame.
    ///
    /// Returns `false` after the last, and leaves the record as it was.
    public mutating func next(into record: inout MotionRecord) throws(WireError) -> Bool {
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
