extension QueueFile {
    /// Opens a file, or makes it, and reads where things stand. What follows the last whole record is cut off.
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

    /// A file that ends within its header is one whose making was cut off.
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
    /// Writes the file anew with what waits, and lets it take the place of the old one when the disk has it: whoever
    /// dies meanwhile leaves the one or the other.
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
