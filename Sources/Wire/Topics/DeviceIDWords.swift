/// The 64 bytes of a device id as eight words, the id's first byte in the lowest bits of the first word.
///
/// Eight fields and not a `SIMD8`, because a vector of 64 bytes wants 64-byte alignment, and the frames of async
/// functions are aligned to 16 bytes: Swift 6.3 writes past them where a local value is aligned more strictly.
struct DeviceIDWords: Hashable, Sendable {
    private var word0: UInt64 = 0
    private var word1: UInt64 = 0
    private var word2: UInt64 = 0
    private var word3: UInt64 = 0
    private var word4: UInt64 = 0
    private var word5: UInt64 = 0
    private var word6: UInt64 = 0
    private var word7: UInt64 = 0

    /// The byte at a position from 0 to 63.
    subscript(byte index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: self[index >> 3] >> UInt64((index & 7) << 3))
    }

    /// Puts a byte where there was none.
    mutating func set(_ byte: UInt8, at index: Int) {
        self[index >> 3] |= UInt64(byte) << UInt64((index & 7) << 3)
    }

    /// The number of bytes up to the last one that is not 0.
    var count: Int {
        for word in stride(from: 7, through: 0, by: -1) where self[word] != 0 {
            return word * 8 + 8 - self[word].leadingZeroBitCount / 8
        }
        return 0
    }

    private subscript(index: Int) -> UInt64 {
        get { withUnsafeBytes(of: self) { $0.load(fromByteOffset: (index & 7) << 3, as: UInt64.self) } }
        set {
            withUnsafeMutableBytes(of: &self) {
                $0.storeBytes(of: newValue, toByteOffset: (index & 7) << 3, as: UInt64.self)
            }
        }
    }
}
