/// What the writer and the reader of FIT files both know. Source: Garmin, "FIT Protocol" and the profile of the FIT SDK.
enum FITFormat {
    /// The times of FIT count from 1989-12-31T00:00:00Z: so many seconds since 1970.
    static let epochSeconds: Int64 = 631_065_600
    /// Smaller times count from the start of a device, and the largest number says that there is none.
    static let times: ClosedRange<Int64> = 0x1000_0000...0xFFFF_FFFE
    /// The last second that a file can say, since 1970.
    static let lastSecond = times.upperBound + epochSeconds
    static let signature = Array(".FIT".utf8)
    /// The field of a message's time, in every message.
    static let timestamp: UInt8 = 253

    /// A time of a file in seconds since 1970; nil for one that counts from something else.
    static func seconds(_ time: Int) -> Int64? { times.contains(Int64(time)) ? Int64(time) + epochSeconds : nil }

    /// CRC-16/ARC.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
        }
    }
}

/// The messages of an activity that are written and read.
enum FITMessageNumber: UInt16, CaseIterable {
    case fileID = 0
    case session = 18, lap, record, event
    case deviceInfo = 23, workout = 26
    case activity = 34
}

enum FITBaseType: UInt8 {
    case enumeration = 0x00, int8, uint8
    case text = 0x07, uint8z = 0x0A, byte = 0x0D
    case int16 = 0x83, uint16, int32, uint32
    case float = 0x88, double
    case uint16z = 0x8B, uint32z, int64 = 0x8E, uint64, uint64z

    var byteCount: Int {
        switch self {
        case .enumeration, .int8, .uint8, .text, .uint8z, .byte: 1
        case .int16, .uint16, .uint16z: 2
        case .int32, .uint32, .uint32z, .float: 4
        case .double, .int64, .uint64, .uint64z: 8
        }
    }

    var isSigned: Bool { [.int8, .int16, .int32, .int64].contains(self) }

    /// The bits of a number that is not known.
    var unknown: UInt64 {
        switch self {
        case .uint8z, .uint16z, .uint32z, .uint64z: 0
        default: UInt64.max >> UInt64(64 - 8 * byteCount + (isSigned ? 1 : 0))
        }
    }

    /// The whole number that bits stand for; nil for one that is not known, and for what is none.
    func number(_ bits: UInt64) -> Int? {
        guard bits != unknown, self != .text, self != .float, self != .double else { return nil }
        let free = UInt64(64 - 8 * byteCount)
        return isSigned ? Int(Int64(bitPattern: bits << free) >> Int64(free)) : Int(exactly: bits)
    }
}
