extension CountsBatch {
    /// What every batch starts with, before the version of the layout: "SBC".
    private static let magic: [UInt8] = [0x53, 0x42, 0x43]
    /// Versions 1 and 2 named a partition, whose rows made a chain of their own.
    private static let version: UInt8 = 3

    /// The batch in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64 + rows.count * 128)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(epoch)
        writer.write(previousRevision)
        writer.write(lastRevision)
        writer.write(UInt16(truncatingIfNeeded: rows.count))
        for row in rows { writer.write(row) }
        return writer.bytes
    }

    /// Reads a batch; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        _ = try reader.readHeader(Self.magic, versions: Self.version...Self.version)
        epoch = try reader.read()
        previousRevision = try reader.read()
        lastRevision = try reader.read()
        let count = Int(try reader.read(UInt16.self))
        guard count <= Self.maximumRows else { throw .payloadTooLarge }
        rows = []
        rows.reserveCapacity(count)
        for _ in 0..<count { rows.append(try reader.readMinute()) }
        guard reader.isAtEnd else { throw .malformed }
    }
}

extension CountsResend {
    private static let magic: [UInt8] = [0x53, 0x42, 0x52]
    /// Version 1 asked the counter of one partition.
    private static let version: UInt8 = 2

    /// The request in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
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

    /// Reads a request; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        _ = try reader.readHeader(Self.magic, versions: Self.version...Self.version)
        let count = Int(try reader.read(UInt8.self))
        guard count <= Self.maximumPositions else { throw .payloadTooLarge }
        positions = []
        for _ in 0..<count { positions.append(Position(epoch: try reader.read(), revision: try reader.read())) }
        guard reader.isAtEnd else { throw .malformed }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ row: MinuteTotals) {
        write(row.device)
        write(row.minute)
        write(row.epoch)
        write(row.revision)
        write(row.steps)
        write(row.revolutions)
        write(row.distanceMillimetres)
        write(row.activeMilliseconds)
        write(row.coveredMilliseconds)
        write(row.cadenceIntegral)
        write(row.cadenceSeconds)
        write(row.cadenceMinimum)
        write(row.cadenceMaximum)
        write(UInt8(truncatingIfNeeded: row.activityMilliseconds.count))
        for milliseconds in row.activityMilliseconds { write(milliseconds) }
        write(row.floors)
    }

    fileprivate mutating func write(_ floors: FloorCounts?) {
        write(UInt8(floors == nil ? 0 : 1))
        guard let floors else { return }
        write(UInt32(clamping: floors.ascended))
        write(UInt32(clamping: floors.descended))
    }
}

extension ByteReader {
    fileprivate mutating func readMinute() throws(WireError) -> MinuteTotals {
        var row = MinuteTotals(
            device: try readDevice(), minute: try read(), epoch: try read(), revision: try read())
        row.steps = try read()
        row.revolutions = try read()
        row.distanceMillimetres = try read()
        row.activeMilliseconds = try read()
        row.coveredMilliseconds = try read()
        row.cadenceIntegral = try readFloat()
        row.cadenceSeconds = try read()
        row.cadenceMinimum = try readFloat()
        row.cadenceMaximum = try readFloat()
        guard Int(try read(UInt8.self)) == row.activityMilliseconds.count else { throw .malformed }
        for index in row.activityMilliseconds.indices { row.activityMilliseconds[index] = try read() }
        row.floors = try readFloors()
        return row
    }

    fileprivate mutating func readFloors() throws(WireError) -> FloorCounts? {
        switch try read(UInt8.self) {
        case 0: nil
        case 1: FloorCounts(ascended: UInt64(try read(UInt32.self)), descended: UInt64(try read(UInt32.self)))
        default: throw .malformed
        }
    }
}
