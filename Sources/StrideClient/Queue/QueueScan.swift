/// Reads the records of a queue's file one after the other, up to the first that is not whole.
struct QueueScan {
    /// The bytes that are read at once.
    private static let chunkBytes = 65_536

    private let file: SystemFile
    private let end: Int
    private var buffer: [UInt8] = []
    private var bufferOffset: Int
    /// Where the next record begins.
    private(set) var offset: Int

    init(file: SystemFile, offset: Int, end: Int) {
        self.file = file
        self.offset = offset
        self.end = end
        bufferOffset = offset
    }

    /// The next record and where it is; nil at the end, and where no whole record is.
    mutating func next() throws(MotionQueueError) -> (record: QueueRecord, place: Range<Int>)? {
        guard offset < end else { return nil }
        if let found = take() { return found }
        try fill(Self.chunkBytes)
        if let found = take() { return found }
        try fill(QueueRecord.prefixBytes + QueueRecord.maximumBodyBytes)
        return take()
    }

    private mutating func take() -> (record: QueueRecord, place: Range<Int>)? {
        guard offset - bufferOffset < buffer.count,
            let (record, count) = QueueRecord.read(buffer[(offset - bufferOffset)...])
        else { return nil }
        let place = offset..<offset + count
        offset += count
        return (record, place)
    }

    private mutating func fill(_ count: Int) throws(MotionQueueError) {
        buffer = try file.read(min(count, end - offset), at: offset)
        bufferOffset = offset
    }
}
