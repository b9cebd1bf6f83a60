import Wire

/// One entry of a queue's file, as bytes:
///
///     u32 length of the body | u64 FNV-1a of length and body | body: u8 kind, and what belongs to it
///
/// All numbers are little-endian.
enum QueueRecord: Equatable {
    /// A frame as it will travel.
    case frame(QueuedFrame)
    /// Everything before this offset of the file is done with.
    case acknowledged(before: UInt64)
    /// What was lost so far.
    case losses(refused: UInt64, rejected: UInt64)

    private enum Kind {
        static let frame: UInt8 = 1
        static let acknowledged: UInt8 = 2
        static let losses: UInt8 = 3
    }

    /// What a file starts with: "SBQ" and the version of the layout.
    static let header: [UInt8] = [0x53, 0x42, 0x51, 1]
    /// Length and checksum, in bytes.
    static let prefixBytes = 12
    /// The longest body: a frame and the name of its device.
    static let maximumBodyBytes = 2 + DeviceID.maximumBytes + FrameLimits.maximumPayloadBytes

    /// The bytes of the record.
    func encoded() -> [UInt8] {
        var body = ByteWriter(capacity: 64)
        switch self {
        case .frame(let frame):
            body.write(Kind.frame)
            body.write(frame.device)
            body.write(contentsOf: frame.payload)
        case .acknowledged(let offset):
            body.write(Kind.acknowledged)
            body.write(offset)
        case .losses(let refused, let rejected):
            body.write(Kind.losses)
            body.write(refused)
            body.write(rejected)
        }
        var writer = ByteWriter(capacity: Self.prefixBytes + body.count)
        writer.write(UInt32(truncatingIfNeeded: body.count))
        writer.write(Self.checksum(of: body.bytes))
        writer.write(contentsOf: body.bytes)
        return writer.bytes
    }

    /// Reads the record that bytes begin with; nil where they end too early, or are no record.
    static func read(_ bytes: ArraySlice<UInt8>) -> (record: QueueRecord, byteCount: Int)? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let count = try? Int(reader.read(UInt32.self)), count <= maximumBodyBytes,
                let expected = try? reader.read(UInt64.self), let body = try? reader.readBytes(count),
                checksum(of: body) == expected, let record = try? QueueRecord(body: body)
            else { return nil }
            return (record, prefixBytes + count)
        }
    }

    private init(body: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(body)
        switch try reader.read(UInt8.self) {
        case Kind.frame:
            let device = try reader.readDevice()
            self = .frame(QueuedFrame(device: device, payload: Array(try reader.readBytes(reader.remaining))))
        case Kind.acknowledged: self = .acknowledged(before: try reader.read())
        case Kind.losses: self = .losses(refused: try reader.read(), rejected: try reader.read())
        default: throw .malformed
        }
    }

    private static func checksum(of body: some Collection<UInt8>) -> UInt64 {
        var hash = StableHash()
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: body.count).littleEndian) { hash.combine($0) }
        hash.combine(body)
        return hash.value
    }
}

/// A frame that waits, as it will travel.
struct QueuedFrame: Sendable, Equatable {
    var device: DeviceID
    var payload: [UInt8]
}
