/// Appends JSON to one buffer: no Foundation, no intermediate tree.
///
/// Commas are added automatically. A number that is not finite is written as `null`, because JSON has no form for it.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// The room for a payload that is published each second, so that it is made once.
    private static let usualBytes = 192

    /// An object with the fields that `writeFields` writes.
    package static func object(_ writeFields: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(usualBytes)
        writer.beginObject()
        writeFields(&writer)
        writer.endObject()
        return writer.bytes
    }

    package mutating func beginObject() { open("{") }

    package mutating func endObject() { close("}") }

    package mutating func beginArray() { open("[") }

    package mutating func endArray() { close("]") }

    /// Writes the name of the next value.
    package mutating func key(_ name: String) {
        value(name)
        append(":")
        needsComma = false
    }

    package mutating func value(_ text: String) {
        separate()
        append("\"")
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { appendEscaped(byte) }
        }
        append("\"")
    }

    package mutating func value(_ number: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes a number in the fewest digits that read back as the same number.
    package mutating func value<Number: BinaryFloatingPoint & CustomStringConvertible>(_ number: Number) {
        let exactBits = Number.significandBitCount + 1
        if let whole = Int64(exactly: number), whole.magnitude < 1 << exactBits { return value(whole) }
        separate()
        bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
    }

    /// Writes a number rounded to `decimals` decimals, without trailing zeros.
    package mutating func value(_ number: Double, decimals: Int) {
        var scale = 1.0
        for _ in 0..<max(decimals, 0) { scale *= 10 }
        let scaled = (number * scale).rounded()
        guard let whole = Int64(exactly: scaled), whole.magnitude < 1 << 53 else { return value(number) }
        fixed(whole, decimals: max(decimals, 0))
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes JSON that is known to be well-formed.
    package mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes an integer as a decimal fraction: 120500 with 3 decimals is `120.5`.
    mutating func fixed(_ scaled: Int64, decimals: Int) {
        separate()
        if scaled < 0 { append("-") }
        var divisor: UInt64 = 1
        for _ in 0..<min(decimals, 18) { divisor *= 10 }
        digits(scaled.magnitude / divisor)
        var rest = scaled.magnitude % divisor
        if rest > 0 { append(".") }
        while rest > 0 {
            divisor /= 10
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
        }
    }

    /// The most digits of 64 bits.
    private static let maximumDigits = 20

    private mutating func digits(_ number: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maximumDigits) { digits in
            var (first, rest) = (digits.count, number)
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: digits[first...])
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append("\\")
            bytes.append(byte)
        case 0..<0x20:
            bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(",") }
        needsComma = true
    }

    private mutating func append(_ character: Unicode.Scalar) {
        bytes.append(UInt8(ascii: character))
    }
}

/// Fields: names with values. A field without a value is left out.
extension JSONWriter {
    package mutating func field(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        value(text)
    }

    package mutating func field(_ name: String, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        value(number)
    }

    /// Writes a field with an object, whose fields `writeFields` writes.
    package mutating func field(_ name: String, object writeFields: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        writeFields(&self)
        endObject()
    }

    package mutating func array<Row>(_ rows: some Sequence<Row>, _ write: (inout JSONWriter, Row) -> Void) {
        beginArray()
        for row in rows { write(&self, row) }
        endArray()
    }

    mutating func field<Row>(
        _ name: String, array rows: some Sequence<Row>, _ write: (inout JSONWriter, Row) -> Void
    ) {
        key(name)
        array(rows, write)
    }

    /// Writes a field with a list of objects, each of which `write` gives its fields.
    package mutating func field<Row>(
        _ name: String, objects rows: some Sequence<Row>, _ write: (Row, inout JSONWriter) -> Void
    ) {
        field(name, array: rows) { writer, row in
            writer.beginObject()
            write(row, &writer)
            writer.endObject()
        }
    }

    package mutating func field(_ name: String, _ number: Double?, decimals: Int) {
        guard let number else { return }
        key(name)
        value(number, decimals: decimals)
    }
}

extension JSONWriter {
    /// Writes a parsed document.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .unsigned(let number): self.value(number)
        case .number(let number): self.value(number)
        case .string(let text): self.value(text)
        case .array(let values):
            array(values) { $0.value($1) }
        case .object(let object):
            beginObject()
            for member in object.members {
                key(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }
}
