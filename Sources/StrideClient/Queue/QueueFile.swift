import Wire

/// The file of a queue. Frames are appended as records, and another record marks frames as done. When done frames take
/// too much space, the file is rewritten without them.
///
/// Every append starts at the end of the last whole record. So the next append overwrites the rest of a failed write,
/// and the next opening cuts off the rest of a write that a crash interrupted.
struct QueueFile: Sendable {
    /// The size of done frames at which the file is rewritten, in bytes.
    static let usualGarbageBytes = 1_048_576

    let configuration: MotionQueueConfiguration
    var file: SystemFile
    /// The offset of the first waiting frame.
    var head: Int
    /// The end of the last whole record.
    var end: Int
    /// The offset of the last record if it reports losses: the next such record replaces it.
    var lossesOffset: Int?
    var counts: MotionQueueCounts

    /// The frames at the head of the queue.
    struct Batch: Sendable, Equatable {
        var frames: [QueuedFrame] = []
        /// The offset after the last of their records.
        var end: Int
        /// The size of their records, in bytes.
        var byteCount = 0
    }
}

extension QueueFile {
    /// Appends frames, and refuses those beyond the limits or the room on the disk.
    mutating func append(_ frames: [QueuedFrame]) throws(MotionQueueError) {
        var refused = 0
        for (index, frame) in frames.enumerated() {
            let bytes = QueueRecord.frame(frame).encoded()
            guard hasRoom(for: bytes.count) else {
                refused += 1
                continue
            }
            do throws(MotionQueueError) {
                try append(bytes)
            } catch {
                counts.refusedFrames &+= UInt64(clamping: refused + frames.count - index)
                throw error
            }
            counts.waitingFrames += 1
            counts.waitingBytes += bytes.count
        }
        counts.refusedFrames &+= UInt64(clamping: refused)
        if refused > 0 { try writeLosses() }
        if configuration.durability == .powerCut { try file.synchronize() }
        guard refused == 0 else { throw .full(refusedFrames: refused) }
    }

    private func hasRoom(for byteCount: Int) -> Bool {
        counts.waitingFrames < configuration.maximumFrames
            && counts.waitingBytes + byteCount <= configuration.maximumBytes
    }

    /// The frames that have waited longest, at least one if any frame waits.
    func nextBatch(maximumFrames: Int, maximumBytes: Int) throws(MotionQueueError) -> Batch {
        var scan = QueueScan(file: file, offset: head, end: end)
        var batch = Batch(end: head)
        while batch.frames.count < maximumFrames, let (record, place) = try scan.next() {
            guard case .frame(let frame) = record else { continue }
            guard batch.frames.isEmpty || batch.byteCount + place.count <= maximumBytes else { break }
            batch.frames.append(frame)
            batch.byteCount += place.count
            batch.end = place.upperBound
        }
        return batch
    }

    /// Marks the frames of a batch, the last that was read, as done. The broker has acknowledged them, except for
    /// `rejected` frames that it never accepts.
    mutating func acknowledge(_ batch: Batch, rejected: Int = 0) throws(MotionQueueError) {
        counts.waitingFrames -= batch.frames.count
        counts.waitingBytes -= batch.byteCount
        counts.acknowledgedFrames &+= UInt64(clamping: batch.frames.count - rejected)
        counts.rejectedFrames &+= UInt64(clamping: rejected)
        head = batch.end
        try append(QueueRecord.acknowledged(before: UInt64(clamping: batch.end)).encoded())
        if rejected > 0 { try writeLosses() }
        if head > max(Self.usualGarbageBytes, counts.waitingBytes) { try compact() }
    }

    /// Records the losses. While the queue is full, the same record is overwritten, so the file does not grow.
    private mutating func writeLosses() throws(MotionQueueError) {
        let bytes = QueueRecord.losses(refused: counts.refusedFrames, rejected: counts.rejectedFrames).encoded()
        if let lossesOffset { return try file.write(bytes, at: lossesOffset) }
        let offset = end
        try append(bytes)
        lossesOffset = offset
    }

    private mutating func append(_ bytes: [UInt8]) throws(MotionQueueError) {
        try file.write(bytes, at: end)
        end += bytes.count
        lossesOffset = nil
    }
}

extension QueueFile {
    /// Opens or creates a file, and restores the queue's state from it. Bytes after the last whole record are cut off.
    init(_ configuration: MotionQueueConfiguration) throws(MotionQueueError) {
        self.configuration = configuration
        file = try SystemFile(path: configuration.path)
        counts = MotionQueueCounts()
        head = QueueRecord.header.count
        end = QueueRecord.header.count
        let size = try file.size()
        try readHeader(size: size)
        try readRecords(size: size)
        try countWaiting()
        if size > end {
            counts.discardedBytes = size - end
            try file.truncate(to: end)
        }
    }

    /// Checks the header. It is written again if its writing was interrupted.
    private func readHeader(size: Int) throws(MotionQueueError) {
        let header = try file.read(QueueRecord.header.count, at: 0)
        guard QueueRecord.header.starts(with: header) else { throw .notAQueue(path: configuration.path) }
        if size < QueueRecord.header.count { try file.write(QueueRecord.header, at: 0) }
    }

    private mutating func readRecords(size: Int) throws(MotionQueueError) {
        var scan = QueueScan(file: file, offset: end, end: size)
        while let (record, place) = try scan.next() {
            lossesOffset = nil
            switch record {
            case .frame: break
            case .acknowledged(let offset): head = max(head, min(Int(clamping: offset), place.lowerBound))
            case .losses(let refused, let rejected):
                (counts.refusedFrames, counts.rejectedFrames) = (refused, rejected)
                lossesOffset = place.lowerBound
            }
            end = place.upperBound
        }
    }

    private mutating func countWaiting() throws(MotionQueueError) {
        var scan = QueueScan(file: file, offset: head, end: end)
        while let (record, place) = try scan.next() {
            guard case .frame = record else { continue }
            counts.waitingFrames += 1
            counts.waitingBytes += place.count
        }
    }
}

extension QueueFile {
    /// Writes the waiting frames to a new file, which replaces the old one when it is on the disk. A crash leaves one
    /// of the two.
    mutating func compact() throws(MotionQueueError) {
        let new = try SystemFile(path: configuration.path + ".new", isEmptied: true)
        var offset = QueueRecord.header.count
        try new.write(QueueRecord.header, at: 0)
        let losses = QueueRecord.losses(refused: counts.refusedFrames, rejected: counts.rejectedFrames).encoded()
        try new.write(losses, at: offset)
        offset += losses.count
        let start = offset
        var scan = QueueScan(file: file, offset: head, end: end)
        while let (record, place) = try scan.next() {
            guard case .frame = record else { continue }
            try new.write(record.encoded(), at: offset)
            offset += place.count
        }
        try new.synchronize()
        try new.rename(to: configuration.path)
        (file, head, end, lossesOffset) = (new, start, offset, nil)
    }
}

/// Reads the records of a queue's file one after the other, up to the first that is not whole.
struct QueueScan {
    private static let chunkBytes = 65_536

    private let file: SystemFile
    private let end: Int
    private var buffer: [UInt8] = []
    private var bufferOffset: Int
    /// The offset of the next record.
    private(set) var offset: Int

    init(file: SystemFile, offset: Int, end: Int) {
        self.file = file
        self.offset = offset
        self.end = end
        bufferOffset = offset
    }

    /// The next record and its range in the file; nil at the end, and at an incomplete record.
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

/// One entry of a queue's file, as bytes:
///
///     u32 length of the body | u64 FNV-1a of length and body | body: u8 kind, and its fields
///
/// All numbers are little-endian.
enum QueueRecord: Equatable {
    /// A frame with its payload as it is sent.
    case frame(QueuedFrame)
    /// All frames before this offset of the file are done.
    case acknowledged(before: UInt64)
    /// The losses so far.
    case losses(refused: UInt64, rejected: UInt64)

    private enum Kind {
        static let frame: UInt8 = 1
        static let acknowledged: UInt8 = 2
        static let losses: UInt8 = 3
    }

    /// The first bytes of a file: "SBQ" and the version of the layout.
    static let header: [UInt8] = [0x53, 0x42, 0x51, 1]
    /// The size of length and checksum, in bytes.
    static let prefixBytes = 12
    /// The size of the longest body, a frame and the name of its device, in bytes.
    static let maximumBodyBytes = 2 + DeviceID.maximumBytes + FrameLimits.maximumPayloadBytes

    func encoded() -> [UInt8] {
        var body = ByteWriter(capacity: 64)
        switch self {
        case .frame(let frame):
            body.write(Kind.frame)
            body.write(frame.device)
            body.write(contentsOf: frame.payload)
        case .acknowledged(let offset):
            body.write(Kind.acknowledged)
            body.write(offset)
        case .losses(let refused, let rejected):
            body.write(Kind.losses)
            body.write(refused)
            body.write(rejected)
        }
        var writer = ByteWriter(capacity: Self.prefixBytes + body.count)
        writer.write(UInt32(truncatingIfNeeded: body.count))
        writer.write(Self.checksum(of: body.bytes))
        writer.write(contentsOf: body.bytes)
        return writer.bytes
    }

    /// Reads the record at the start of the bytes; nil if it is incomplete or invalid.
    static func read(_ bytes: ArraySlice<UInt8>) -> (record: QueueRecord, byteCount: Int)? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let count = try? Int(reader.read(UInt32.self)), count <= maximumBodyBytes,
                let expected = try? reader.read(UInt64.self), let body = try? reader.readBytes(count),
                checksum(of: body) == expected, let record = try? QueueRecord(body: body)
            else { return nil }
            return (record, prefixBytes + count)
        }
    }

    private init(body: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(body)
        switch try reader.read(UInt8.self) {
        case Kind.frame:
            let device = try reader.readDevice()
            self = .frame(QueuedFrame(device: device, payload: Array(try reader.readBytes(reader.remaining))))
        case Kind.acknowledged: self = .acknowledged(before: try reader.read())
        case Kind.losses: self = .losses(refused: try reader.read(), rejected: try reader.read())
        default: throw .malformed
        }
    }

    private static func checksum(of body: some Collection<UInt8>) -> UInt64 {
        var hash = StableHash()
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: body.count).littleEndian) { hash.combine($0) }
        hash.combine(body)
        return hash.value
    }
}

/// A waiting frame, with its payload as it is sent.
struct QueuedFrame: Sendable, Equatable {
    var device: DeviceID
    var payload: [UInt8]
}
