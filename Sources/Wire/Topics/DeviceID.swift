/// The name of a device on the bus: `[a-z0-9][a-z0-9-]{0,62}`.
///
/// The bytes are held in place, so an id costs no allocation, no reference count, and can key a dictionary on the hot
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
