/// Takes a state's fields from bytes; past the end it reads zeros and remembers that it did.
struct StateReader: StateCoder {
    let bytes: [UInt8]
    var position: Int
    let end: Int
    private(set) var isInvalid = false

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func code(bits: inout UInt64, byteCount: Int) {
        bits = 0
        guard end - position >= byteCount else {
            position = end
            isInvalid = true
            return
        }
        for index in 0..<byteCount {
            bits |= UInt64(bytes[position + index]) << UInt64(8 * index)
        }
        position += byteCount
    }

    mutating func reject() {
        isInvalid = true
    }
}
