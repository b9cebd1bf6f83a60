/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4), eight bytes at a time.
struct Checksum: Sendable {
    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
            tables[0][byte] = value
        }
        for table in 1..<8 {
            for byte in 0..<256 {
                let below = tables[table - 1][byte]
                tables[table][byte] = below >> 8 ^ tables[0][Int(below & 0xFF)]
            }
        }
        return tables
    }()
    private static let flat = tables.flatMap(\.self)

    /// The checksum of bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        flat.withUnsafeBufferPointer { table in
            var sum = ~UInt32(0)
            var position = 0
            while position + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ sum
                let high = UInt32(truncatingIfNeeded: word >> 32)
                sum =
                    table[7 * 256 + Int(low & 0xFF)] ^ table[6 * 256 + Int(low >> 8 & 0xFF)]
                    ^ table[5 * 256 + Int(low >> 16 & 0xFF)] ^ table[4 * 256 + Int(low >> 24)]
                sum ^=
                    table[3 * 256 + Int(high & 0xFF)] ^ table[2 * 256 + Int(high >> 8 & 0xFF)]
                    ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
                position += 8
            }
            while position < bytes.count {
                sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[position])]
                position += 1
            }
            return ~sum
        }
    }
}
