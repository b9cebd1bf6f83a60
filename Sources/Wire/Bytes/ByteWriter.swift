/// Appends numbers and bytes, little-endian, to one growing buffer.
public struct ByteWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Starts empty, with room for so many bytes.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// The number of bytes written.
    public var count: Int { bytes.count }

    /// Appends an integer, its least significant byte first.
    public mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the bit pattern of a number.
    public mutating func write(_ value: Float) { write(value.bitPattern) }

    /// Appends the bit pattern of a number.
    public mutating func write(_ value: Double) { write(value.bitPattern) }

    /// Appends numbers one after another, without their count.
    ///
    /// The memory is copied as it is, because every machine that Swift runs on is little-endian.
    public mutating func write(_ values: [Float]) {
        values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are, without their count.
    public mutating func write(contentsOf other: some Collection<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Appends a device id behind its length, in one byte.
    public mutating func write(_ device: DeviceID) {
        bytes.append(UInt8(truncatingIfNeeded: device.count))
        device.append(to: &bytes)
    }

    /// Writes another byte in the place of one that was written.
    mutating func overwrite(at place: Int, with byte: UInt8) {
        if bytes.indices.contains(place) { bytes[place] = byte }
    }

    /// Forgets what was written beyond so many bytes, and keeps the storage.
    public mutating func truncate(to count: Int) {
        guard count < bytes.count else { return }
        bytes.removeSubrange(max(count, 0)...)
    }

    /// Forgets everything and keeps the storage.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}
