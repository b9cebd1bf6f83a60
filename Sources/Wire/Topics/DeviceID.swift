/// The name of a device on the bus: `[a-z0-9][a-z0-9-]{0,62}`.
///
/// The bytes are stored inline: an id needs no allocation and no reference count, and can key a dictionary on the hot
/// path. The bus's own words (`reserved`) are not ids. Users of the broker are named in the same alphabet: a device's user has
/// the device's name.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest id, in bytes.
    public static let maximumBytes = 63

    // The bytes in their order, then zeros: zero never occurs inside an id. Eight words and not a `SIMD8`, because a
    // vector of 64 bytes needs 64-byte alignment, and the frames of async functions are aligned to 16 bytes. Swift 6.3
    // writes past them if a local value has a stricter alignment.
    private var word0: UInt64 = 0
    private var word1: UInt64 = 0
    private var word2: UInt64 = 0
    private var word3: UInt64 = 0
    private var word4: UInt64 = 0
    private var word5: UInt64 = 0
    private var word6: UInt64 = 0
    private var word7: UInt64 = 0

    /// Checks and takes an id from the bytes of a topic level or a payload.
    public init(bytes: some Collection<UInt8>) throws(WireError) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes, bytes.first != UInt8(ascii: "-"),
            bytes.allSatisfy(Self.isAllowed)
        else { throw .invalidDeviceID }
        self.init(unchecked: bytes)
        guard !Self.reserved.contains(self) else { throw .invalidDeviceID }
    }

    /// Checks and takes an id from text, as a flag or a configuration gives it.
    public init(_ text: String) throws(WireError) {
        try self.init(bytes: text.utf8)
    }

    /// An empty id, the placeholder in what has not been read yet.
    package init() {}

    private init(unchecked bytes: some Collection<UInt8>) {
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// The id by which a person's topics name the person: the name itself where it is an id; else its small letters and
    /// digits with a hash of all of it, so that no two names become one, and none becomes the id of somebody else.
    public init(person name: String) {
        if let same = try? DeviceID(name) {
            self = same
            return
        }
        var (folded, hash): ([UInt8], StableHash) = ([], StableHash())
        hash.combine(name.utf8)
        for byte in name.lowercased().utf8 where folded.count < Self.maximumFoldedBytes {
            if byte != UInt8(ascii: "-"), Self.isAllowed(byte) {
                folded.append(byte)
            } else if let last = folded.last, last != UInt8(ascii: "-") {
                folded.append(UInt8(ascii: "-"))
            }
        }
        if folded.isEmpty { folded = Array("person".utf8) }
        if folded.last != UInt8(ascii: "-") { folded.append(UInt8(ascii: "-")) }
        self.init(unchecked: folded + Array(String(hash.value, radix: 36).utf8))
    }

    /// The longest part of a name in `init(person:)`: a hash of 64 bits has 13 characters.
    private static let maximumFoldedBytes = 48

    /// The number of bytes.
    public var count: Int { withUnsafeBytes(of: self) { $0.firstIndex(of: 0) ?? $0.count } }

    /// The id as text.
    public var description: String {
        withUnsafeBytes(of: self) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Ids sort by their bytes.
    public static func < (lhs: DeviceID, rhs: DeviceID) -> Bool {
        withUnsafeBytes(of: lhs) { lhs in withUnsafeBytes(of: rhs) { lhs.lexicographicallyPrecedes($0) } }
    }

    package var stableHash: UInt64 {
        withUnsafeBytes(of: self) { StableHash.of(UnsafeRawBufferPointer(rebasing: $0.prefix { $0 != 0 })) }
    }

    /// Appends the id's bytes to a buffer.
    public func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: self) { bytes.append(contentsOf: $0.prefix { $0 != 0 }) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// The first levels of topics that are of no device.
    private static let reserved = ["service", "request", "reply", "user", "person", "wall", "class"].map {
        DeviceID(unchecked: $0.utf8)
    }
}

/// FNV-1a, 64 bits: a hash that is the same in all processes and releases and on all machines.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm" (IETF draft
/// draft-eastlake-fnv), 64-bit offset basis and prime.
package struct StableHash: Sendable {
    /// The hash of all bytes taken in so far.
    package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Adds bytes in their order.
    @inlinable
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* Self.prime }
        value = hash
    }

    /// The same, compiled once: another module may get the generic one unspecialised, which takes ten times as long.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* Self.prime }
        value = hash
    }

    @usableFromInline static let prime: UInt64 = 0x0000_0100_0000_01b3
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
        number = Int(device.stableHash % UInt64(Self.count))
    }

    package static var all: [Partition] { (0..<count).compactMap { try? Partition(number: $0) } }

    package static func < (lhs: Partition, rhs: Partition) -> Bool { lhs.number < rhs.number }
}

/// The partitions that one counter counts, as an operator writes them: `0-31`, or `7` for one.
package struct PartitionRange: Sendable, Hashable, CustomStringConvertible {
    package let numbers: ClosedRange<Int>

    package static let all = PartitionRange(0...Partition.count - 1)

    package var isAll: Bool { self == .all }
    package var partitions: [Partition] { Partition.all.filter(contains) }

    package func contains(_ partition: Partition) -> Bool { numbers.contains(partition.number) }

    private init(_ numbers: ClosedRange<Int>) {
        self.numbers = numbers
    }

    /// Reads what an operator wrote; `nil` where it is no range of partitions.
    package init?(_ text: some StringProtocol) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
            0 <= first, first <= last, last < Partition.count
        else { return nil }
        self.init(first...last)
    }

    /// Reads the ranges of all counters, with commas between them; `nil` where they are not every partition, each once.
    package static func every(_ text: String) -> [PartitionRange]? {
        let ranges = text.split(separator: ",", omittingEmptySubsequences: false).map { PartitionRange($0) }
        let known = ranges.compactMap(\.self).sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
        guard known.count == ranges.count, known.flatMap(\.numbers).elementsEqual(0..<Partition.count) else {
            return nil
        }
        return known
    }

    package func overlaps(_ other: PartitionRange) -> Bool { numbers.overlaps(other.numbers) }

    package var description: String {
        numbers.count == 1 ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)-\(numbers.upperBound)"
    }
}
