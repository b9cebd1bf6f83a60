extension CountsBatch {
    /// What every batch starts with, before the version of the layout: "SBC".
    private static let magic: [UInt8] = [0x53, 0x42, 0x43]
    /// In version 2 every row says its floors; a batch without any says 1, so that histories that know no floors read
    /// it.
    private static let versions: ClosedRange<UInt8> = 1...2

    /// The batch in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64 + rows.count * 128)
        let hasFloors = rows.contains { $0.floors != nil }
        writer.write(contentsOf: Self.magic)
        writer.write(hasFloors ? Self.versions.upperBound : Self.versions.lowerBound)
        writer.write(epoch)
        writer.write(UInt8(truncatingIfNeeded: partition.number))
        writer.write(previousRevision)
        writer.write(lastRevision)
        writer.write(UInt16(truncatingIfNeeded: rows.count))
        for row in rows {
            writer.write(row)
            if hasFloors { writer.write(row.floors) }
        }
        return writer.bytes
    }

    /// Reads a batch; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        let version = try reader.readHeader(Self.magic, versions: Self.versions)
        epoch = try reader.read()
        guard let partition = try? Partition(number: Int(try reader.read(UInt8.self))) else { throw .malformed }
        self.partition = partition
        previousRevision = try reader.read()
        lastRevision = try reader.read()
        let count = Int(try reader.read(UInt16.self))
        guard count <= Self.maximumRows else { throw .payloadTooLarge }
        rows = []
        rows.reserveCapacity(count)
        for _ in 0..<count {
            var row = try reader.readMinute()
            if version == Self.versions.upperBound { row.floors = try reader.readFloors() }
            rows.append(row)
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}

extension CountsResend {
    private static let magic: [UInt8] = [0x53, 0x42, 0x52]
    private static let version: UInt8 = 1

    /// The request in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(epoch)
        writer.write(afterRevision)
        return writer.bytes
    }

    /// Reads a request; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        _ = try reader.readHeader(Self.magic, versions: Self.version...Self.version)
        epoch = try reader.read()
        afterRevision = try reader.read()
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
