extension PostgresValue {
    /// The number of its type; 0 lets the server find one.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .int, .optionalInt: TypeNumber.int8
        case .double: TypeNumber.float8
        case .bool: TypeNumber.bool
        case .text, .optionalText: TypeNumber.text
        case .bytes: TypeNumber.bytes
        case .ints, .optionalInts: TypeNumber.int8Array
        case .doubles: TypeNumber.float8Array
        case .texts, .optionalTexts: TypeNumber.textArray
        }
    }

    /// The value as its type's `…recv` function reads it: big-endian numbers, texts as they are, arrays with a head
    /// (`array_recv` in PostgreSQL's `arrayfuncs.c`). Nil for nothing.
    func binary() -> [UInt8]? {
        var bytes: [UInt8] = []
        switch self {
        case .null: return nil
        case .int(let number): bytes.append(bigEndian: number)
        case .double(let number): bytes.append(bigEndian: number.bitPattern)
        case .bool(let flag): bytes.append(flag ? 1 : 0)
        case .text(let text): bytes = Self.storable(text)
        case .optionalInt(let number):
            guard let number else { return nil }
            bytes.append(bigEndian: number)
        case .optionalText(let text):
            guard let text else { return nil }
            bytes = Self.storable(text)
        case .bytes(let raw): bytes = raw
        case .ints(let numbers):
            bytes.appendArray(TypeNumber.int8, numbers, elementBytes: 8) { $0.append(bigEndian: $1) }
        case .optionalInts(let numbers):
            bytes.appendArray(TypeNumber.int8, numbers, elementBytes: 8) { $0.append(bigEndian: $1) }
        case .doubles(let numbers):
            bytes.appendArray(TypeNumber.float8, numbers, elementBytes: 8) { $0.append(bigEndian: $1.bitPattern) }
        case .texts(let texts):
            bytes.appendTexts(texts)
        case .optionalTexts(let texts):
            bytes.appendTexts(texts)
        }
        return bytes
    }

    fileprivate static func storable(_ text: String) -> [UInt8] {
        guard text.utf8.contains(0) else { return Array(text.utf8) }
        return Array(text.replacing("\0", with: "\u{FFFD}").utf8)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    private mutating func appendHead(_ type: UInt32, count: Int, hasGaps: Bool) {
        append(bigEndian: Int32(count == 0 ? 0 : 1))
        append(bigEndian: Int32(hasGaps ? 1 : 0))
        append(bigEndian: type)
        guard count > 0 else { return }
        append(bigEndian: Int32(clamping: count))
        append(bigEndian: Int32(1))
    }

    fileprivate mutating func appendArray<Item>(
        _ type: UInt32, _ elements: [Item?], elementBytes: Int32, _ append: (inout [UInt8], Item) -> Void
    ) {
        reserveCapacity(20 + elements.count * (Int(elementBytes) + 4))
        appendHead(type, count: elements.count, hasGaps: elements.contains { $0 == nil })
        for element in elements {
            guard let element else {
                self.append(bigEndian: Int32(-1))
                continue
            }
            self.append(bigEndian: elementBytes)
            append(&self, element)
        }
    }

    fileprivate mutating func appendArray<Item>(
        _ type: UInt32, _ elements: [Item], elementBytes: Int32, _ append: (inout [UInt8], Item) -> Void
    ) {
        reserveCapacity(20 + elements.count * (Int(elementBytes) + 4))
        appendHead(type, count: elements.count, hasGaps: false)
        for element in elements {
            self.append(bigEndian: elementBytes)
            append(&self, element)
        }
    }

    fileprivate mutating func appendTexts(_ texts: [String?]) {
        appendHead(TypeNumber.text, count: texts.count, hasGaps: texts.contains { $0 == nil })
        for text in texts {
            guard let text else {
                append(bigEndian: Int32(-1))
                continue
            }
            let bytes = PostgresValue.storable(text)
            append(bigEndian: Int32(clamping: bytes.count))
            append(contentsOf: bytes)
        }
    }
}
