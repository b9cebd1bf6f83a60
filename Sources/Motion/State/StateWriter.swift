/// Appends a state's fields to bytes, little-endian.
struct StateWriter: StateCoder {
    var bytes: [UInt8]

    mutating func code(bits: inout UInt64, byteCount: Int) {
        for index in 0..<byteCount {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)))
        }
    }

    mutating func code(floats: inout [Float], range: Range<Int>) {
        for index in range {
            let bits = floats[index].bitPattern.littleEndian
            withUnsafeBytes(of: bits) { bytes.append(contentsOf: $0) }
        }
    }

    mutating func reject() {}
}
