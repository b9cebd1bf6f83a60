/// The files that a log is kept in: a directory, or a model of one.
package protocol LogFiles {
    func names() throws(CounterError) -> [String]
    func read(_ name: String) throws(CounterError) -> [UInt8]
    /// Makes an empty file, or empties one. Its name is on the disk when this returns.
    mutating func create(_ name: String) throws(CounterError)
    mutating func append(_ bytes: [UInt8], to name: String) throws(CounterError)
    /// Returns when all that was appended is on the disk.
    mutating func sync(_ name: String) throws(CounterError)
    mutating func cut(_ name: String, to byteCount: Int) throws(CounterError)
    mutating func remove(_ name: String) throws(CounterError)
    /// Keeps a file under a name that is none of the log's.
    mutating func setAside(_ name: String) throws(CounterError)
}

/// A write-ahead log of everything that changes the counter and is not stored yet, in the order of arrival.
///
/// Messages of the bus are appended as they came and synced as a group; then they may be acknowledged. The store has the
/// position of the last record whose results it holds, and files before that are deleted. A start counts the records
/// after that position again.
///
/// A group that an end of the process or of the power tore was never acknowledged: it is cut off. Damage before the
/// last synced position is logged and its file kept aside; the records after it are counted.
package struct CounterLog<Files: LogFiles> {
    /// A file that is closed when it is larger, in bytes.
    static var maximumSegmentBytes: Int { 8 << 20 }

    private struct Segment {
        var name: String
        var firstPosition: UInt64
        /// The last record in it. The file after it may have some of its records again, or was begun for them only.
        var lastPosition: UInt64
        var byteCount: Int
        var isDamaged = false
    }

    package var files: Files
    private let epoch: UInt64
    private let segmentBytes: Int
    private let marks: LogMarks
    /// The files that a start has not read yet; `nil` before it begins.
    private var unread: [String]?
    private var segments: [Segment] = []
    /// Whether the last segment can be appended to.
    private var isOpen = false
    /// The last record that was appended.
    package private(set) var lastPosition: UInt64
    /// The last record that is on the disk.
    package private(set) var syncedPosition: UInt64

    /// A log in some files.
    package init(
        _ files: Files, epoch: UInt64, marks: LogMarks, segmentBytes: Int = CounterLog.maximumSegmentBytes
    ) {
        self.files = files
        self.epoch = epoch
        self.segmentBytes = segmentBytes
        self.marks = marks
        lastPosition = marks.states
        syncedPosition = marks.states
    }

    private static func name(_ position: UInt64) -> String {
        let digits = String(position, radix: 16)
        return "counter-" + String(repeating: "0", count: 16 - digits.count) + digits + ".log"
    }

    /// The position that a file was begun for: all before it were on the disk.
    private static func position(of name: String) -> UInt64? {
        UInt64(name.dropFirst("counter-".count).dropLast(".log".count), radix: 16)
    }
}

// MARK: - Starting

extension CounterLog {
    /// Reads the next file. Call it until it returns `nil`, before anything is appended: so a start has one file in
    /// memory at a time.
    ///
    /// - Throws: `.otherLogVersion`, or an error of the files.
    package mutating func readNext() throws(CounterError) -> LogPart? {
        let names = if let unread { unread } else { try files.names().sorted() }
        unread = Array(names.dropFirst())
        guard let name = names.first else {
            defer { syncedPosition = lastPosition }
            guard marks.counted > lastPosition else { return nil }
            // The next records must not get positions that stored states follow from already.
            let lost = lastPosition + 1...marks.counted
            lastPosition = marks.counted
            isOpen = false
            return LogPart(notes: [
                "the end of the log is lost, records \(lost.lowerBound) to \(lost.upperBound): a count may miss them, or "
                    + "have them twice"
            ])
        }
        let isLast = names.count == 1
        let bytes = try files.read(name)
        switch LogSegment.header(of: bytes) {
        case .otherVersion: throw .otherLogVersion(path: name)
        case .damaged where isLast && bytes.count <= LogSegment.headerBytes:
            // The process ended while it was begun, before any record.
            try files.remove(name)
            return LogPart()
        case .damaged:
            try files.setAside(name)
            return LogPart(notes: ["\(name) is damaged and was set aside: what only it held is not counted"])
        case .valid(let epoch, _) where epoch != self.epoch:
            try files.setAside(name)
            return LogPart(notes: ["\(name) belongs to another counter's store and was set aside"])
        case .valid(_, let first):
            segments.append(Segment(name: name, firstPosition: first, lastPosition: first - 1, byteCount: bytes.count))
            return try read(bytes, next: isLast ? nil : Self.position(of: names[1]) ?? 0)
        }
    }

    /// - Parameter next: The position that the next file was begun for; `nil` where there is none.
    private mutating func read(_ bytes: [UInt8], next nextFirst: UInt64?) throws(CounterError) -> LogPart {
        let isLast = nextFirst == nil
        let segment = segments.count - 1
        let first = segments[segment].firstPosition
        let hasGap = first > lastPosition + 1
        if hasGap, segment > 0 { segments[segment - 1].isDamaged = true }
        var part = LogPart()
        var seen = first - 1
        var isDamaged = false
        let end = bytes.withUnsafeBytes { buffer -> Int in
            var offset = LogSegment.headerBytes
            while offset < buffer.count {
                if let record = LogSegment.record(in: buffer, at: offset) {
                    take(record, buffer, into: &part)
                    seen = record.position
                    offset = record.payload.upperBound
                } else if let next = LogSegment.offsetAfterDamage(
                    in: buffer, at: offset, of: seen + 1, nextFirst: nextFirst ?? 0)
                {
                    isDamaged = true
                    offset = next
                } else {
                    break
                }
            }
            return offset
        }
        segments[segment].isDamaged = isDamaged
        segments[segment].lastPosition = seen
        // A file that lacks the newest records, which a file before it has, is not gone on with: where records stand in
        // it must follow from its first.
        isOpen = isLast && !isDamaged && seen == lastPosition
        if isLast, !isDamaged, end < bytes.count {
            // The rest is of a group that was never acknowledged.
            try files.cut(segments[segment].name, to: end)
            segments[segment].byteCount = end
        }
        // The bytes that a process wrote before it died may be in the system's memory only. States are stored from
        // these records before the next file is read, so the file is on the disk before any record is given out.
        try files.sync(segments[segment].name)
        if isDamaged || hasGap {
            part.notes.append("the log is damaged in or before \(segments[segment].name): what can be read is counted")
        }
        return part
    }

    private mutating func take(
        _ record: LogSegment.Record, _ buffer: UnsafeRawBufferPointer, into part: inout LogPart
    ) {
        guard record.position > lastPosition else { return }
        lastPosition = record.position
        let payload = UnsafeRawBufferPointer(rebasing: buffer[record.payload])
        // One that cannot be read was whole when it was written: what it did is not known.
        guard let read = LogRecord(kind: record.kind, payload: payload) else {
            return part.notes.append("record \(record.position) of the log cannot be read and is left out")
        }
        part.records.append((read, record.position))
    }
}

/// The records of one log file that come after the store's position.
package struct LogPart: Sendable {
    package var records: [(record: LogRecord, position: UInt64)] = []
    /// Lines about damage, for the operator.
    package var notes: [String] = []

    package init(records: [(record: LogRecord, position: UInt64)] = [], notes: [String] = []) {
        (self.records, self.notes) = (records, notes)
    }
}

/// The positions in the log that the store keeps, each that of a record:
///
///     ─ ─ ─ ─ ─┬────────────┬───────────────────┬────────────┬──▶ records
///      deleted │   counted  │      counted      │  counted   │ appended, synced, acknowledged
///              states       rows                counted      the last record of the log
///
/// A start counts from `states` on. What that adds to minutes up to `rows` is left out, because they have it; beyond, it
/// is stored as in the run before.
package struct LogMarks: Sendable, Equatable {
    /// Every device's stored state has what follows up to here, and some have more, each up to its own `storedThrough`.
    package var states: UInt64
    /// The minutes have everything up to here.
    package var rows: UInt64
    /// Nothing that is stored follows from a record beyond. A log whose end was lost goes on from here, so that no new
    /// record gets the position of one that was counted.
    package var counted: UInt64

    package init(states: UInt64 = 0, counted: UInt64 = 0, rows: UInt64 = 0) {
        (self.states, self.counted, self.rows) = (states, counted, rows)
    }
}

// MARK: - Writing

extension CounterLog {
    /// Appends records; they are not on the disk before `sync`. An error leaves the log as it was: the same records can
    /// be appended again.
    package mutating func append(_ records: [LogRecord]) throws(CounterError) {
        if !isOpen || segments[segments.count - 1].byteCount >= segmentBytes { try begin() }
        let segment = segments.count - 1
        let contents = records.map { (kind: $0.kind, payload: $0.payload) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.reduce(0) { $0 + LogSegment.recordHeadBytes + $1.payload.count })
        var position = lastPosition
        for (kind, payload) in contents {
            position += 1
            LogSegment.append(kind, payload, position: position, syncedThrough: syncedPosition, to: &bytes)
        }
        do {
            try files.append(bytes, to: segments[segment].name)
        } catch {
            // Whatever of it was written must not stand before what comes next.
            isOpen = false
            throw error
        }
        segments[segment].byteCount += bytes.count
        segments[segment].lastPosition = position
        lastPosition = position
    }

    /// Returns when all records are on the disk; they may be acknowledged then.
    package mutating func sync() throws(CounterError) {
        guard syncedPosition < lastPosition, let segment = segments.last else { return }
        do {
            try files.sync(segment.name)
        } catch {
            // What the system has failed to write once it may have forgotten: it is written again, to another file.
            lastPosition = syncedPosition
            isOpen = false
            throw error
        }
        syncedPosition = lastPosition
    }

    private mutating func begin() throws(CounterError) {
        let name = Self.name(lastPosition + 1)
        isOpen = false
        segments.removeAll { $0.name == name }
        try files.create(name)
        let header = LogSegment.header(epoch: epoch, firstPosition: lastPosition + 1)
        try files.append(header, to: name)
        // On the disk before any record, so that a beginning that cannot be read is damage.
        try files.sync(name)
        segments.append(
            Segment(
                name: name, firstPosition: lastPosition + 1, lastPosition: lastPosition, byteCount: header.count))
        isOpen = true
    }

    /// The store holds everything through a position: files that hold nothing beyond it are deleted, and those that are
    /// damaged kept aside.
    package mutating func trim(through position: UInt64) throws(CounterError) {
        while let oldest = segments.first {
            let isOnlyOne = segments.count == 1
            guard oldest.lastPosition <= position, !isOnlyOne || !isOpen || oldest.byteCount >= segmentBytes
            else { return }
            try remove(oldest)
        }
    }

    /// The store holds everything: nothing of the log is left.
    package mutating func empty() throws(CounterError) {
        isOpen = false
        while let oldest = segments.first { try remove(oldest) }
    }

    private mutating func remove(_ segment: Segment) throws(CounterError) {
        if segment.isDamaged { try files.setAside(segment.name) } else { try files.remove(segment.name) }
        segments.removeFirst()
        if segments.isEmpty { isOpen = false }
    }
}
