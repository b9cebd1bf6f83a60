/// Reads little-endian numbers and bytes from a buffer. Reading beyond its end throws `.malformed`.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes read so far.
    package private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of bytes not read yet.
    package var remaining: Int { bytes.count - position }

    package var isAtEnd: Bool { remaining == 0 }

    /// Reads an integer, its least significant byte first.
    package mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(WireError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { throw .malformed }
        let value = bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        position += size
        return Value(littleEndian: value)
    }

    /// Reads bytes as they are, without copying them.
    package mutating func readBytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw .malformed }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
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
