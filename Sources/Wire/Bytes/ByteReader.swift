/// Takes numbers and bytes, little-endian, from a buffer; asking beyond its end throws `.malformed`.
///
/// The buffer belongs to the caller and must outlive the reader.
public struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes taken so far.
    public private(set) var position = 0

    /// Reads a buffer from its start.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of bytes not taken yet.
    public var remaining: Int { bytes.count - position }

    /// Whether all bytes are taken.
    public var isAtEnd: Bool { remaining == 0 }

    /// Takes an integer, its least significant byte first.
    public mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(WireError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { throw .malformed }
        let value = bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        position += size
        return Value(littleEndian: value)
    }

    /// Takes a number that must be finite.
    public mutating func readFloat() throws(WireError) -> Float {
        let value = Float(bitPattern: try read())
        guard value.isFinite else { throw .outOfRange }
        return value
    }

    /// Takes a number that must be finite.
    public mutating func readDouble() throws(WireError) -> Double {
        let value = Double(bitPattern: try read())
        guard value.isFinite else { throw .outOfRange }
        return value
    }

    /// Takes bytes as they are, without copying them.
    public mutating func readBytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw .malformed }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    /// Takes what a message of an internal hop starts with: what it is, and the version of its layout.
    ///
    /// - Returns: The version.
    /// - Throws: `.emptyPayload`, `.malformed` for another kind of message, `.unsupportedVersion` for a layout that is not ours.
    mutating func readHeader(
        _ magic: some Collection<UInt8>, versions: ClosedRange<UInt8>
    ) throws(WireError) -> UInt8 {
        guard !isAtEnd else { throw .emptyPayload }
        guard try readBytes(magic.count).elementsEqual(magic) else { throw .malformed }
        let version = try read(UInt8.self)
        guard versions.contains(version) else { throw .unsupportedVersion }
        return version
    }

    /// Takes a device id behind its length, in one byte.
    public mutating func readDevice() throws(WireError) -> DeviceID {
        let count = Int(try read(UInt8.self))
        return try DeviceID(bytes: try readBytes(count))
    }
}
