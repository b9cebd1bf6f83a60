extension CountsBatch {
    /// What every batch starts with: "SBC" and the version of the layout.
    private static let header: [UInt8] = [0x53, 0x42, 0x43, 1]

    /// The batch in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64 + rows.count * 128)
        writer.write(contentsOf: Self.header)
        writer.write(epoch)
        writer.write(UInt8(truncatingIfNeeded: partition.number))
        writer.write(previousRevision)
        writer.write(lastRevision)
        writer.write(UInt16(truncatingIfNeeded: rows.count))
        for row in rows { writer.write(row) }
        return writer.bytes
    }

    /// Reads a batch; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let magic = try reader.readBytes(Self.header.count - 1)
        guard magic.elementsEqual(Self.header.dropLast()) else { throw .malformed }
        guard try reader.read(UInt8.self) == Self.header.last else { throw .unsupportedVersion }
        epoch = try reader.read()
        guard let partition = try? Partition(number: Int(try reader.read(UInt8.self))) else { throw .malformed }
        self.partition = partition
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
    private static let header: [UInt8] = [0x53, 0x42, 0x52, 1]

    /// The request in the binary layout of the internal hop.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.write(contentsOf: Self.header)
        writer.write(epoch)
        writer.write(afterRevision)
        return writer.bytes
    }

    /// Reads a request; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let magic = try reader.readBytes(Self.header.count - 1)
        guard magic.elementsEqual(Self.header.dropLast()) else { throw .malformed }
        guard try reader.read(UInt8.self) == Self.header.last else { throw .unsupportedVersion }
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
}
