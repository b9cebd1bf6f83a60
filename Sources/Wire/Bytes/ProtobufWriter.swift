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

    mutating func field(_ number: UInt64, varint value: UInt64) {
        varint(number << 3 | ProtobufWireType.varint.rawValue)
        varint(value)
    }

    mutating func field(_ number: UInt64, fixed32 value: UInt32) {
        varint(number << 3 | ProtobufWireType.fixed32.rawValue)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func field(_ number: UInt64, bytes other: [UInt8]) {
        varint(number << 3 | ProtobufWireType.lengthDelimited.rawValue)
        varint(UInt64(other.count))
        bytes.append(contentsOf: other)
    }

    static func zigzag(_ value: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: (value << 1) ^ (value >> 31)))
    }
}

/// How a protobuf field is laid out.
enum ProtobufWireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
}
