/// Reads little-endian numbers and bytes from a buffer. Reading beyond its end throws `.malformed`.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes read so far.
    package private(set) var position = 0

    /// Reads a buffer from its start.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of bytes not read yet.
    package var remaining: Int { bytes.count - position }

    /// True if all bytes are read.
    package var isAtEnd: Bool { remaining == 0 }

    /// Reads an integer, its least significant byte first.
    package mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(WireError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { throw .malformed }
        let value = bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        position += size
        return Value(littleEndian: value)
    }

    /// Reads a number that must be finite.
    package mutating func readFloat() throws(WireError) -> Float {
        let value = Float(bitPattern: try read())
        guard value.isFinite else { throw .outOfRange }
        return value
    }

    /// Reads bytes as they are, without copying them.
    package mutating func readBytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw .malformed }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    /// Reads the start of a message of an internal hop: the magic bytes, and the version of its layout.
    ///
    /// - Throws: `.emptyPayload`, `.malformed` for another kind of message, `.unsupportedVersion` for another version.
    mutating func readHeader(_ magic: some Collection<UInt8>, version: UInt8) throws(WireError) {
        guard !isAtEnd else { throw .emptyPayload }
        guard try readBytes(magic.count).elementsEqual(magic) else { throw .malformed }
        guard try read(UInt8.self) == version else { throw .unsupportedVersion }
    }

    /// Leaves the rest unread.
    mutating func moveToEnd() { position = bytes.count }

    /// Reads a device id behind its length of one byte.
    package mutating func readDevice() throws(WireError) -> DeviceID {
        let count = Int(try read(UInt8.self))
        return try DeviceID(bytes: try readBytes(count))
    }
}

/// Appends numbers and bytes, little-endian, to one growing buffer.
package struct ByteWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty writer with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package var count: Int { bytes.count }

    /// Appends an integer, its least significant byte first.
    package mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: Float) { write(value.bitPattern) }

    package mutating func write(_ value: Double) { write(value.bitPattern) }

    /// Appends numbers one after another, without their count.
    ///
    /// The memory is copied as it is, because every machine that Swift runs on is little-endian.
    package mutating func write(_ values: [Float]) {
        values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are, without their count.
    package mutating func write(contentsOf other: some Collection<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Appends a device id behind its length of one byte.
    package mutating func write(_ device: DeviceID) {
        bytes.append(UInt8(truncatingIfNeeded: device.count))
        device.append(to: &bytes)
    }

    /// Replaces four bytes that were written before.
    mutating func overwrite(at place: Int, with number: UInt32) {
        guard place >= 0, place + 4 <= bytes.count else { return }
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index)) }
    }

    /// Removes the bytes beyond `count`, and keeps the storage.
    package mutating func truncate(to count: Int) {
        guard count < bytes.count else { return }
        bytes.removeSubrange(max(count, 0)...)
    }

    /// Removes all bytes, and keeps the storage.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}
