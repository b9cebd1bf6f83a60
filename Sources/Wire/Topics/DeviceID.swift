/// The name of a device on the bus: `[a-z0-9][a-z0-9-]{0,62}`.
///
/// The bytes are stored inline: an id needs no allocation and no reference count, and can key a dictionary on the hot
/// path. `service`, `request` and `reply` are reserved for the bus itself and are not ids.
public struct DeviceID: Hashable, Sendable {
    /// The longest id, in bytes.
    public static let maximumBytes = 63

    /// The id's bytes, padded with zeros; zero never occurs inside an id, so the padding also marks its end.
    private let words: DeviceIDWords

    /// Checks and takes an id from the bytes of a topic level or a payload.
    public init(bytes: some Collection<UInt8>) throws(WireError) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes else { throw .invalidDeviceID }
        var words = DeviceIDWords()
        var index = 0
        for byte in bytes {
            guard Self.isAllowed(byte, first: index == 0) else { throw .invalidDeviceID }
            words.set(byte, at: index)
            index += 1
        }
        self.words = words
        guard !Self.reserved.contains(words) else { throw .invalidDeviceID }
    }

    /// An empty id, the placeholder in a payload that has not been read yet.
    init() {
        words = DeviceIDWords()
    }

    /// Checks and takes an id from text, as a flag or a configuration gives it.
    public init(_ text: String) throws(WireError) {
        try self.init(bytes: text.utf8)
    }

    /// The number of bytes.
    public var count: Int { words.count }

    /// The byte at a position below `count`; zero beyond it.
    public subscript(index: Int) -> UInt8 {
        guard index >= 0, index < 64 else { return 0 }
        return words[byte: index]
    }

    /// Appends the id's bytes to a buffer.
    public func append(to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(self[index]) }
    }

    private static func isAllowed(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"): !first
        default: false
        }
    }

    private static let reserved: [DeviceIDWords] = [packed("service"), packed("request"), packed("reply")]

    private static func packed(_ text: StaticString) -> DeviceIDWords {
        var words = DeviceIDWords()
        text.withUTF8Buffer { bytes in
            for (index, byte) in bytes.enumerated() {
                words.set(byte, at: index)
            }
        }
        return words
    }
}

extension DeviceID: CustomStringConvertible {
    /// The id as text.
    public var description: String {
        String(decoding: (0..<count).map { self[$0] }, as: UTF8.self)
    }
}

extension DeviceID: Comparable {
    /// Ids sort by their bytes.
    public static func < (lhs: DeviceID, rhs: DeviceID) -> Bool {
        for index in 0..<maximumBytes where lhs[index] != rhs[index] { return lhs[index] < rhs[index] }
        return false
    }
}

/// The 64 bytes of a device id as eight words, the id's first byte in the lowest bits of the first word.
///
/// Eight fields and not a `SIMD8`: a vector of 64 bytes needs 64-byte alignment, and the frames of async functions are
/// aligned to 16 bytes. Swift 6.3 writes past them if a local value has a stricter alignment.
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

    /// Sets a byte that was 0.
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

/// One share of the devices. All messages about a device use one partition, so that one counter owns its state.
package struct Partition: Hashable, Sendable, Comparable {
    /// The number of partitions of a bus.
    package static let count = 64

    /// The partition's number, `0 ..< Partition.count`.
    package let number: Int

    /// Takes a partition's number from a topic or a flag.
    package init(number: Int) throws(WireError) {
        guard (0..<Self.count).contains(number) else { throw .unknownTopic }
        self.number = number
    }

    /// The partition of a device: the stable hash of its id, modulo the number of partitions.
    package init(of device: DeviceID) {
        var hash = StableHash()
        for index in 0..<device.count { hash.combine(device[index]) }
        number = Int(hash.value % UInt64(Self.count))
    }

    /// Every partition, in order.
    package static var all: [Partition] { (0..<count).compactMap { try? Partition(number: $0) } }

    /// Partitions sort by number.
    package static func < (lhs: Partition, rhs: Partition) -> Bool { lhs.number < rhs.number }
}

/// FNV-1a, 64 bits: a hash that is the same in all processes and releases and on all machines.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm" (IETF draft
/// draft-eastlake-fnv), 64-bit offset basis and prime.
package struct StableHash: Sendable {
    /// The hash of all bytes taken in so far.
    package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    @inlinable
    package mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* Self.prime
    }

    /// Adds bytes in their order. It is not generic, and so fast for thousands of bytes.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* Self.prime }
        value = hash
    }

    /// Adds bytes in their order.
    @inlinable
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    @usableFromInline static let prime: UInt64 = 0x0000_0100_0000_01b3
}
