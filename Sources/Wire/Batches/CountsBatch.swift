/// The rows of one message from counter to history, with its place in the chain of that counter's messages: minutes, and
/// words of intervals.
///
/// A counter numbers every change of a row, of either kind; the number is the row's revision. `previousRevision` is the last revision
/// of the message before. A reader whose position is below it has missed rows and requests them (`CountsResend`). A
/// reader whose position is above it has seen this message before, which is harmless.
package struct CountsBatch: Sendable, Equatable {
    /// The epoch of the counter's store, one for each life of the store.
    package var epoch: UInt64
    /// The last revision of the message before this one; 0 for the first.
    package var previousRevision: UInt64
    /// The last revision in this message.
    package var lastRevision: UInt64
    /// The minutes, in ascending order of revision, of any device of the counter.
    package var rows: [MinuteRow]
    /// The words, in ascending order of revision.
    package var words: [WordRow]
    /// Rows that were in the message and cannot be read.
    package var unreadableRows = 0

    /// The most rows, of both kinds together.
    package static let maximumRows = 400

    package init(
        epoch: UInt64, previousRevision: UInt64, lastRevision: UInt64, rows: [MinuteRow], words: [WordRow] = []
    ) {
        self.epoch = epoch
        self.previousRevision = previousRevision
        self.lastRevision = lastRevision
        (self.rows, self.words) = (rows, words)
    }
}

/// History's request for rows that it has missed: the last revision of each counter before its first gap.
///
/// A counter whose epoch is in the request sends all rows after that revision again. Any other counter sends all its
/// rows.
package struct CountsResend: Sendable, Hashable {
    /// The last revision of one epoch before the first gap.
    package struct Position: Sendable, Hashable {
        /// The epoch of a counter's store.
        package var epoch: UInt64
        /// The last revision up to which nothing is missing.
        package var revision: UInt64

        package init(epoch: UInt64, revision: UInt64) {
            self.epoch = epoch
            self.revision = revision
        }
    }

    /// The positions, each epoch once, at most `maximumPositions`.
    package var positions: [Position]

    package static let maximumPositions = 16

    package init(positions: [Position] = []) {
        self.positions = positions
    }

    /// The revision after which a counter must send its rows; 0 if the request does not have its epoch.
    package func revision(ofEpoch epoch: UInt64) -> UInt64 {
        positions.first { $0.epoch == epoch }?.revision ?? 0
    }
}

/// Everything counted for one device in one minute of UTC, so far.
///
/// It is a state, not a difference: a later message with a greater `revision` replaces an earlier one, so repeating,
/// reordering or losing messages changes nothing once the newest has arrived.
@dynamicMemberLookup
package struct MinuteRow: Sendable, Hashable {
    /// The device that counted.
    package var device: DeviceID
    /// Minutes since 1970, UTC.
    package var minute: Int64
    /// The epoch of the counter's store that holds this row. Rows of different epochs add up.
    package var epoch: UInt64
    /// Grows with every change in the counter's store.
    package var revision: UInt64
    package var counts = Counts()
    /// Of the active time.
    package var cadence = RateSum()
    /// Beats a minute, and watts, of the seconds in which they are known.
    package var (heart, power) = (RateSum(), RateSum())
    /// A packed `Trace`; nothing where no second is known.
    package var trace: [UInt8] = []

    package init(device: DeviceID, minute: Int64, epoch: UInt64, revision: UInt64) {
        self.device = device
        self.minute = minute
        self.epoch = epoch
        self.revision = revision
    }

    package subscript<Number>(dynamicMember number: WritableKeyPath<Counts, Number>) -> Number {
        get { counts[keyPath: number] }
        set { counts[keyPath: number] = newValue }
    }
}

/// History's order to the counter of a partition, on `service/forget/{partition}`, to delete the counts of a device.
///
/// The order is idempotent. The counter answers with the emptied rows, which have greater revisions than before, so
/// that no message in flight brings old counts back.
package struct CountsForget: Sendable, Hashable {
    /// The device whose counts are deleted.
    package var device: DeviceID
    /// Minutes since 1970, UTC. Their counts, past and future, are deleted.
    package var minutes: Range<Int64>
    /// True if all counts of the device are deleted, whatever their minute, and its state as well.
    package var isWhole: Bool

    private static let magic: [UInt8] = [0x53, 0x42, 0x46]
    private static let version: UInt8 = 1

    package init(device: DeviceID, minutes: Range<Int64>, isWhole: Bool) {
        self.device = device
        self.minutes = minutes
        self.isWhole = isWhole
    }

    /// The order in the binary layout of the internal hop: "SBF", the version, device, first minute, the minute after
    /// the last, and 1 for the whole device.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 96)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(device)
        writer.write(minutes.lowerBound)
        writer.write(minutes.upperBound)
        writer.write(UInt8(isWhole ? 1 : 0))
        return writer.bytes
    }

    /// Reads an order; throws `.unsupportedVersion` for an unknown layout version.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        try reader.readHeader(Self.magic, version: Self.version)
        device = try reader.readDevice()
        let (first, end): (Int64, Int64) = (try reader.read(), try reader.read())
        guard first <= end else { throw .malformed }
        minutes = first..<end
        let whole: UInt8 = try reader.read()
        guard whole <= 1, reader.isAtEnd else { throw .malformed }
        isWhole = whole == 1
    }
}

extension CountsBatch {
    /// The first bytes of a batch, before the version of the layout: "SBC".
    private static let magic: [UInt8] = [0x53, 0x42, 0x43]
    private static let version: UInt8 = 3

    /// The batch in the binary layout of the internal hop: each row stands behind its length, so that one that cannot be
    /// read harms no other.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64 + rows.count * 128 + words.count * 64)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(epoch)
        writer.write(previousRevision)
        writer.write(lastRevision)
        writer.write(UInt16(truncatingIfNeeded: rows.count))
        for row in rows { writer.writeApart { $0.write(row) } }
        writer.write(UInt16(truncatingIfNeeded: words.count))
        for row in words { writer.writeApart { $0.write(row) } }
        return writer.bytes
    }

    /// Reads a batch; throws `.unsupportedVersion` for an unknown layout version.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        try reader.readHeader(Self.magic, version: Self.version)
        epoch = try reader.read()
        previousRevision = try reader.read()
        lastRevision = try reader.read()
        let count = Int(try reader.read(UInt16.self))
        guard count <= Self.maximumRows else { throw .payloadTooLarge }
        rows = []
        rows.reserveCapacity(count)
        for _ in 0..<count {
            let row = try reader.readApart { reader throws(WireError) in try reader.readMinute() }
            if let row { rows.append(row) } else { unreadableRows += 1 }
        }
        let wordCount = Int(try reader.read(UInt16.self))
        guard count + wordCount <= Self.maximumRows else { throw .payloadTooLarge }
        words = []
        words.reserveCapacity(wordCount)
        for _ in 0..<wordCount {
            let word = try reader.readApart { [epoch] reader throws(WireError) in try reader.readWord(epoch: epoch) }
            if let word { words.append(word) } else { unreadableRows += 1 }
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}

extension CountsResend {
    private static let magic: [UInt8] = [0x53, 0x42, 0x52]
    private static let version: UInt8 = 1

    /// The request in the binary layout of the internal hop.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 8 + positions.count * 16)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(UInt8(truncatingIfNeeded: positions.count))
        for position in positions {
            writer.write(position.epoch)
            writer.write(position.revision)
        }
        return writer.bytes
    }

    /// Reads a request; throws `.unsupportedVersion` for an unknown layout version.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        try reader.readHeader(Self.magic, version: Self.version)
        let count = Int(try reader.read(UInt8.self))
        guard count <= Self.maximumPositions else { throw .payloadTooLarge }
        positions = []
        for _ in 0..<count { positions.append(Position(epoch: try reader.read(), revision: try reader.read())) }
        guard reader.isAtEnd else { throw .malformed }
    }
}

extension ByteWriter {
    /// Writes something behind its length.
    fileprivate mutating func writeApart(_ write: (inout ByteWriter) -> Void) {
        let start = count
        self.write(UInt32(0))
        write(&self)
        overwrite(at: start, with: UInt32(truncatingIfNeeded: count - start - 4))
    }

    fileprivate mutating func write(_ row: MinuteRow) {
        write(row.device)
        write(row.minute)
        write(row.epoch)
        write(row.revision)
        write(row.counts)
        for sum in [row.cadence, row.heart, row.power] { write(sum) }
        write(UInt16(truncatingIfNeeded: row.trace.count))
        write(contentsOf: row.trace)
    }

    private mutating func write(_ sum: RateSum) {
        for number in [sum.integral, sum.minimum, sum.maximum] { write(Float(number)) }
        write(UInt32(clamping: sum.seconds))
    }

    /// Writes how many numbers there are, and each, `.max` for what is not known.
    private mutating func write(_ counts: Counts) {
        write(UInt8(truncatingIfNeeded: Amount.ofMinutes.count))
        for amount in Amount.ofMinutes { write(counts.known(amount).map { UInt32(clamping: $0) } ?? .max) }
    }

    fileprivate mutating func write(_ row: WordRow) {
        write(row.device)
        write(row.word.start)
        write(row.word.end)
        write(row.word.microSteps)
        write(row.word.micrometresPerStep)
        write(row.revision)
    }
}

extension ByteReader {
    /// Reads something behind its length; `nil` where it cannot be read, and then what follows can.
    fileprivate mutating func readApart<Value>(
        _ read: (inout ByteReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        let length = Int(try self.read(UInt32.self))
        var apart = ByteReader(try readBytes(length))
        guard let value = try? read(&apart), apart.isAtEnd else { return nil }
        return value
    }

    fileprivate mutating func readMinute() throws(WireError) -> MinuteRow {
        var row = MinuteRow(
            device: try readDevice(), minute: try read(), epoch: try read(), revision: try read())
        row.counts = try readCounts()
        (row.cadence, row.heart, row.power) = (try readSum(), try readSum(), try readSum())
        let traceBytes = Int(try read(UInt16.self))
        guard traceBytes <= Trace.maximumPackedBytes else { throw .malformed }
        row.trace = Array(try readBytes(traceBytes))
        return row
    }

    private mutating func readSum() throws(WireError) -> RateSum {
        let (integral, minimum, maximum) = (try readFloat(), try readFloat(), try readFloat())
        return RateSum(
            integral: Double(integral), seconds: Int64(try read(UInt32.self)), minimum: Double(minimum),
            maximum: Double(maximum))
    }

    private mutating func readCounts() throws(WireError) -> Counts {
        guard Int(try read(UInt8.self)) == Amount.ofMinutes.count else { throw .malformed }
        var counts = Counts()
        for amount in Amount.ofMinutes {
            let number: UInt32 = try read()
            if number < .max { counts[amount] = Int64(number) }
        }
        return counts
    }

    fileprivate mutating func readWord(epoch: UInt64) throws(WireError) -> WordRow {
        let device = try readDevice()
        let (start, end): (Int64, Int64) = (try read(), try read())
        let (microSteps, perStep): (Int64, Int64) = (try read(), try read())
        let word = StepWord(start: start, end: end, microSteps: microSteps, micrometresPerStep: perStep)
        guard let word else { throw .malformed }
        return WordRow(device: device, word: word, epoch: epoch, revision: try read())
    }
}
