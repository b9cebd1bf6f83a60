/// The file of a queue: records are appended, those that are done with are told by a record, and the file is written
/// anew without them when they take too much of it.
///
/// Every append begins where the last whole record ended. So what a failed write leaves behind is written over by the
/// next one, and what a death leaves behind is cut off at the next opening.
struct QueueFile: Sendable {
    /// How many bytes may be done with before the file is written anew.
    static let usualGarbageBytes = 1_048_576

    let configuration: MotionQueueConfiguration
    var file: SystemFile
    /// Where the first waiting frame is, or will be.
    var head: Int
    /// Where the last whole record ends.
    var end: Int
    /// Where the last record is, if it tells losses: the next such takes its place.
    var lossesOffset: Int?
    var counts: MotionQueueCounts

    /// The frames at the head of the queue.
    struct Batch: Sendable, Equatable {
        var frames: [QueuedFrame] = []
        /// Where the file goes on after them.
        var end: Int
        /// What their records take.
        var byteCount = 0
    }
}

extension QueueFile {
    /// Appends frames, and refuses those for which the limits or the disk have no room.
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

    /// The frames that have waited longest, at least one of them where there are any.
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

    /// The frames of a batch, the last that was read, are done with: the broker has them, or so many of them it will
    /// never take.
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

    /// While the queue is full, losses are told again and again in the same place: the file does not grow by them.
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
