/// Constants and the checksum of FIT files, for the writer and the reader. Source: Garmin, "FIT Protocol" and the profile of the FIT SDK.
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

/// Why bytes are no FIT file that can be read.
package enum FITError: String, Error, CustomStringConvertible {
    case notFIT = "it is no FIT file"
    case truncated = "its end is missing"
    case wrongChecksum = "it is damaged: its checksum is wrong"
    case undefinedMessage = "it is damaged: a message comes before what says which fields it has"
    case tooLong = "it is of more time than is taken at once"

    package var description: String { rawValue }
}

/// A message of a FIT file. It holds no copy of the bytes.
package struct FITMessage: Sendable {
    fileprivate struct Field {
        let number: UInt8
        let type: FITBaseType?
        let place: Int
        let byteCount: Int
    }

    fileprivate struct Definition {
        var number: UInt16
        var isBigEndian: Bool
        var fields: [Field] = []
        var byteCount = 0
    }

    /// What kind of message it is.
    package var number: UInt16 { definition.number }
    fileprivate let definition: Definition
    fileprivate let bytes: ArraySlice<UInt8>
    /// The time in the header of a message, where it is there.
    fileprivate let headerTime: UInt32?

    /// The whole number of a field, of a list its first; nil where it is not there, not known, or something else.
    package subscript(number: UInt8) -> Int? {
        if number == FITFormat.timestamp, let headerTime { return Int(headerTime) }
        guard let field = definition.fields.first(where: { $0.number == number }), let type = field.type,
            field.byteCount >= type.byteCount
        else { return nil }
        let start = bytes.startIndex + field.place
        let value = bytes[start..<start + type.byteCount]
        let bits = (definition.isBigEndian ? Array(value) : value.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return type.number(bits)
    }
}

/// Reads FIT files of any device: all orders of bytes, times in headers, fields of developers, and files one after
/// another. What it does not know it passes over.
package struct FITFile {
    private let bytes: [UInt8]
    private var position = 0
    private var end = 0
    private var definitions: [FITMessage.Definition?] = []
    private var lastTime: UInt32?

    /// Gives each message, file after file. An error may come after messages.
    package static func forEachMessage(
        in bytes: [UInt8], _ take: (FITMessage) -> Void
    ) throws(FITError) {
        var file = FITFile(bytes: bytes)
        repeat { try file.readFile(take) } while file.position < bytes.count
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func readFile(_ take: (FITMessage) -> Void) throws(FITError) {
        let start = position
        end = bytes.count
        let header = try read(12)
        let headerBytes = Int(header[start])
        guard headerBytes >= 12, header.suffix(4).elementsEqual(FITFormat.signature) else { throw .notFIT }
        _ = try read(headerBytes - 12)
        let content = header.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard content <= bytes.count - position - 2 else { throw .truncated }
        end = position + content
        let sum = FITFormat.checksum(bytes[start..<end])
        guard bytes[end] == UInt8(truncatingIfNeeded: sum), bytes[end + 1] == UInt8(sum >> 8) else {
            throw .wrongChecksum
        }
        (definitions, lastTime) = (Array(repeating: nil, count: 16), nil)
        while position < end { if let message = try readMessage() { take(message) } }
        position = end + 2
    }

    /// Reads a message; nil where it says which fields others have.
    private mutating func readMessage() throws(FITError) -> FITMessage? {
        let header = try readByte()
        let isTimed = header & 0x80 != 0
        guard isTimed || header & 0x40 == 0 else {
            try readDefinition(header)
            return nil
        }
        guard let definition = definitions[Int(isTimed ? header >> 5 & 3 : header & 15)] else {
            throw .undefinedMessage
        }
        let time = isTimed ? lastTime.map { $0 &+ UInt32((header &- UInt8(truncatingIfNeeded: $0)) & 31) } : nil
        let message = FITMessage(definition: definition, bytes: try read(definition.byteCount), headerTime: time)
        lastTime = message[FITFormat.timestamp].map { UInt32(clamping: $0) } ?? lastTime
        return message
    }

    private mutating func readDefinition(_ header: UInt8) throws(FITError) {
        _ = try readByte()
        let isBigEndian = try readByte() != 0
        let number = (UInt16(try readByte()), UInt16(try readByte()))
        var definition = FITMessage.Definition(
            number: isBigEndian ? number.0 << 8 | number.1 : number.1 << 8 | number.0, isBigEndian: isBigEndian)
        for _ in 0..<(try readByte()) {
            let (number, byteCount) = (try readByte(), Int(try readByte()))
            let type = FITBaseType(rawValue: try readByte())
            definition.fields.append(
                FITMessage.Field(number: number, type: type, place: definition.byteCount, byteCount: byteCount))
            definition.byteCount += byteCount
        }
        // Those of developers stand behind the others, with a length and no type.
        if header & 0x20 != 0 {
            for _ in 0..<(try readByte()) {
                _ = try readByte()
                definition.byteCount += Int(try readByte())
                _ = try readByte()
            }
        }
        definitions[Int(header & 15)] = definition
    }

    private mutating func readByte() throws(FITError) -> UInt8 { try read(1).first ?? 0 }

    private mutating func read(_ count: Int) throws(FITError) -> ArraySlice<UInt8> {
        guard count <= end - position else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
