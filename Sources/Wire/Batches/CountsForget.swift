/// What history tells the counter of a partition on `service/forget/{partition}`: what it has counted of a device must
/// be forgotten.
///
/// Obeying it twice is obeying it once. The counter answers with the rows that it has emptied, which have greater
/// revisions than what they were before, so that nothing that is on its way brings anything back.
public struct CountsForget: Sendable, Hashable {
    /// Whose.
    public var device: DeviceID
    /// Minutes since 1970, UTC: what was or will be counted for them is forgotten.
    public var minutes: Range<Int64>
    /// Whether everything about the device is forgotten, whatever its minute, and so is its state.
    public var isWhole: Bool

    private static let magic: [UInt8] = [0x53, 0x42, 0x46]
    private static let version: UInt8 = 1

    /// An order from its parts.
    public init(device: DeviceID, minutes: Range<Int64>, isWhole: Bool) {
        self.device = device
        self.minutes = minutes
        self.isWhole = isWhole
    }

    /// The order in the binary layout of the internal hop: "SBF", the version, device, first minute, the minute after
    /// the last, and 1 for the whole device.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 96)
        writer.write(contentsOf: Self.magic)
        writer.write(Self.version)
        writer.write(device)
        writer.write(minutes.lowerBound)
        writer.write(minutes.upperBound)
        writer.write(UInt8(isWhole ? 1 : 0))
        return writer.bytes
    }

    /// Reads an order; throws `.unsupportedVersion` for a layout that is not ours.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        _ = try reader.readHeader(Self.magic, versions: Self.version...Self.version)
        device = try reader.readDevice()
        let (first, end): (Int64, Int64) = (try reader.read(), try reader.read())
        guard first <= end else { throw .malformed }
        minutes = first..<end
        let whole: UInt8 = try reader.read()
        guard whole <= 1, reader.isAtEnd else { throw .malformed }
        isWhole = whole == 1
    }
}
