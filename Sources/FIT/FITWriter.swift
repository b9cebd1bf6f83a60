/// Appends messages to the bytes of a FIT file.
struct FITWriter {
    struct Field {
        var number: UInt8
        let type: FITBaseType
        /// Nil where it is not known.
        let bytes: [UInt8]?

        /// A number; one that is too large for its type is the largest.
        static func number(_ number: UInt8, _ type: FITBaseType, _ value: Int?) -> Field {
            let largest = Int(clamping: type.unknown &- 1)
            let bytes = value.map { FITWriter.bytes(of: UInt64(clamping: min($0, largest)), count: type.byteCount) }
            return Field(number: number, type: type, bytes: bytes)
        }

        /// A number with a fraction, in parts of 1/scale.
        static func number(_ number: UInt8, _ type: FITBaseType, _ value: Double?, scale: Double) -> Field {
            let scaled = value.map { ($0 * scale).rounded() }
            return .number(number, type, scaled.flatMap { $0.isFinite ? Int($0.clamped(to: -1e15...1e15)) : nil })
        }

        /// The whole part of a number of which another field has the fraction.
        static func whole(_ number: UInt8, _ type: FITBaseType, of value: Double?) -> Field {
            .number(number, type, value.map { (parts($0) / 128).rounded(.down) }, scale: 1)
        }

        /// The fraction, in parts of 1/128.
        static func fraction(_ number: UInt8, of value: Double?) -> Field {
            .number(number, .uint8, value.map { parts($0).truncatingRemainder(dividingBy: 128) }, scale: 1)
        }

        private static func parts(_ value: Double) -> Double { (value * 128).rounded() }

        /// A text, with the zero that ends it.
        static func text(_ number: UInt8, _ text: String) -> Field {
            var bytes = Array(text.utf8.prefix(Self.maximumTextBytes))
            while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
            return Field(number: number, type: .text, bytes: bytes + [0])
        }

        private static let maximumTextBytes = 63
    }

    private var bytes: [UInt8] = []
    /// What was said of the fields of each kind of message.
    private var definitions: [FITMessageNumber: [UInt8]] = [:]

    /// Appends a message, and before it what fields it has where that is not as it was. A number that is not known is
    /// written where `isSteady` says that all messages of the kind have the same fields, and else left out.
    mutating func write(_ number: FITMessageNumber, _ fields: [Field], isSteady: Bool = false) {
        let fields = isSteady ? fields : fields.filter { $0.bytes != nil }
        let local = UInt8(FITMessageNumber.allCases.firstIndex(of: number) ?? 0)
        let definition = fields.flatMap {
            [$0.number, UInt8(clamping: $0.bytes?.count ?? $0.type.byteCount), $0.type.rawValue]
        }
        if definitions[number] != definition {
            definitions[number] = definition
            // Little-endian, of `number`, with so many fields.
            bytes += [0x40 | local, 0, 0] + Self.bytes(of: UInt64(number.rawValue), count: 2)
            bytes += [UInt8(clamping: fields.count)] + definition
        }
        bytes.append(local)
        for field in fields { bytes += field.bytes ?? Self.bytes(of: field.type.unknown, count: field.type.byteCount) }
    }

    /// The file: a header, the messages, and the checksum of both.
    func finished() -> [UInt8] {
        // Version 2.0 of the protocol, 21.60 of the profile.
        var file: [UInt8] = [14, 0x20] + Self.bytes(of: 2160, count: 2) + Self.bytes(of: UInt64(bytes.count), count: 4)
        file += FITFormat.signature
        file += Self.bytes(of: UInt64(FITFormat.checksum(file)), count: 2)
        file += bytes
        return file + Self.bytes(of: UInt64(FITFormat.checksum(file)), count: 2)
    }

    /// A time in seconds since 1970, held within what a file can say.
    static func time(_ seconds: Int64) -> Int {
        Int((seconds - FITFormat.epochSeconds).clamped(to: FITFormat.times))
    }

    /// The smallest bytes of a number, the least first.
    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
