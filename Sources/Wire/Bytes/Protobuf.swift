/// Reads protobuf fields from a buffer; anything cut short, unknown or overlong throws `.malformed`.
struct ProtobufReader {
    var bytes: ByteReader

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = ByteReader(bytes)
    }

    var isAtEnd: Bool { bytes.isAtEnd }

    mutating func varint() throws(WireError) -> UInt64 {
        var byte = try bytes.read(UInt8.self)
        var value = UInt64(byte & 0x7F)
        var shift: UInt64 = 7
        while byte >= 0x80 {
            byte = try bytes.read(UInt8.self)
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw .malformed }
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
        }
        return value
    }

    mutating func key() throws(WireError) -> (field: UInt64, type: ProtobufWireType) {
        let key = try varint()
        guard let type = ProtobufWireType(rawValue: key & 7), key >> 3 > 0, key >> 3 < 1 << 29 else { throw .malformed }
        return (key >> 3, type)
    }

    mutating func lengthDelimited() throws(WireError) -> UnsafeRawBufferPointer {
        guard let count = Int(exactly: try varint()) else { throw .malformed }
        return try bytes.readBytes(count)
    }

    mutating func skip(_ type: ProtobufWireType) throws(WireError) {
        switch type {
        case .varint: _ = try varint()
        case .fixed64: _ = try bytes.readBytes(8)
        case .fixed32: _ = try bytes.readBytes(4)
        case .lengthDelimited: _ = try lengthDelimited()
        }
    }

    static func unzigzag(_ value: UInt64) throws(WireError) -> Int32 {
        guard let word = UInt32(exactly: value) else { throw .outOfRange }
        return Int32(bitPattern: word >> 1) ^ -Int32(bitPattern: word & 1)
    }
}

/// Appends protobuf fields.
///
/// Source: "Encoding", protobuf.dev: varints, keys `(field << 3) | wire type`, zigzag for signed numbers.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func field(_ field: ProtobufFrame.Field, varint value: UInt64) {
        key(field, .varint)
        varint(value)
    }

    mutating func field(_ field: ProtobufFrame.Field, fixed32 value: UInt32) {
        key(field, .fixed32)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A repeated field, its numbers together; nothing where there are none.
    mutating func field(_ field: ProtobufFrame.Field, packed numbers: [UInt64]) {
        guard !numbers.isEmpty else { return }
        var packed = ProtobufWriter()
        for number in numbers { packed.varint(number) }
        key(field, .lengthDelimited)
        varint(UInt64(packed.bytes.count))
        bytes.append(contentsOf: packed.bytes)
    }

    private mutating func key(_ field: ProtobufFrame.Field, _ type: ProtobufWireType) {
        varint(field.rawValue << 3 | type.rawValue)
    }

    static func zigzag(_ value: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: (value << 1) ^ (value >> 31)))
    }
}

enum ProtobufWireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
}
