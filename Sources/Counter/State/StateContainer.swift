import Wire

/// The sections of a device's state as bytes: the container's version, each section as number, version, length (4
/// bytes) and fields, and a checksum over all (FNV-1a, 64 bits). Little-endian.
struct StateContainer {
    /// The layout of the container; another one is set aside.
    static let version: UInt8 = 2
    private static let checksumBytes = 8
    private static let sectionHeadBytes = 6

    private(set) var bytes: [UInt8] = [Self.version]
    private var places: [UInt8: (version: UInt8, range: Range<Int>)] = [:]

    /// What a state usually needs, in bytes: one allocation for each state of a commit.
    private static let usualBytes = 8_192

    /// A container to write.
    init() {
        bytes.reserveCapacity(Self.usualBytes)
    }

    /// Reads where the sections are; `nil` where the bytes are damaged or no container of this version.
    init?(reading bytes: [UInt8]) {
        guard bytes.count > Self.checksumBytes, bytes[0] == Self.version else { return nil }
        let end = bytes.count - Self.checksumBytes
        guard Self.checksum(bytes[..<end]) == Self.number(bytes[end...]) else { return nil }
        self.bytes = bytes
        var position = 1
        while position < end {
            guard end - position >= Self.sectionHeadBytes else { return nil }
            let start = position + Self.sectionHeadBytes
            let length = Self.number(bytes[(position + 2)..<start])
            guard length <= UInt64(end - start), places[bytes[position]] == nil else { return nil }
            places[bytes[position]] = (bytes[position + 1], start..<(start + Int(length)))
            position = start + Int(length)
        }
    }

    /// Appends a section.
    mutating func write(_ section: StateSection, _ transfer: (inout StateCoder) -> Void) {
        bytes.append(contentsOf: [section.rawValue, section.version, 0, 0, 0, 0])
        let start = bytes.count
        var coder = StateCoder(writingAfter: bytes)
        // The coder's alone, or its first word would copy them.
        bytes = []
        transfer(&coder)
        bytes = coder.bytes
        let length = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[start - 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    }

    /// The bytes with their checksum, when all sections are written; the container is empty then.
    mutating func finish() -> [UInt8] {
        let checksum = Self.checksum(bytes[...])
        for index in 0..<Self.checksumBytes { bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index))) }
        defer { bytes = [] }
        return bytes
    }

    /// Whether a section is there, of whatever version.
    func has(_ section: StateSection) -> Bool { places[section.rawValue] != nil }

    /// Reads a section; false where it is not there, of another version, or holds what it cannot hold.
    func read(_ section: StateSection, _ transfer: (inout StateCoder) -> Void) -> Bool {
        guard let place = places[section.rawValue], place.version == section.version else { return false }
        var coder = StateCoder(reading: bytes, range: place.range)
        transfer(&coder)
        return !coder.isInvalid && coder.isAtEnd
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes)
        return hash.value
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
