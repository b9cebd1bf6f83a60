/// Appends a state's fields to bytes, little-endian.
struct StateWriter: StateCoder {
    var bytes: [UInt8]

    mutating func code(bits: inout UInt64, byteCount: Int) {
        for index in 0..<byteCount {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)))
        }
    }

    mutating func reject() {}
}
