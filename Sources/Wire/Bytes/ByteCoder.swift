/// Writes or reads a binary form, little-endian, field by field in a fixed order. One `code` function a type does both, so
/// that they cannot disagree.
///
/// What cannot be read leaves a `problem`, and what lies past the end reads as zeros: nothing traps on damaged bytes.
package struct ByteCoder {
    var writer: ByteWriter
    var reader: ByteReader
    /// Whether fields are taken from the bytes.
    package let isReading: Bool
    /// The first reason for which what was read is not of this form.
    package private(set) var problem: WireError?

    /// A coder that writes, with room for so many bytes.
    package init(capacity: Int = 0) { self.init(ByteWriter(capacity: capacity)) }

    /// A coder that goes on writing.
    init(_ writer: ByteWriter) {
        (self.writer, reader, isReading) = (writer, ByteReader(.init(start: nil, count: 0)), false)
    }

    /// A coder that reads bytes, which must outlive it.
    package init(reading bytes: UnsafeRawBufferPointer) {
        (writer, reader, isReading) = (ByteWriter(), ByteReader(bytes), true)
    }

    package var bytes: [UInt8] { writer.bytes }
    package var isInvalid: Bool { problem != nil }
    package var isAtEnd: Bool { reader.isAtEnd }

    /// Notes that what was read is not of this form. Has no effect on writing.
    package mutating func reject(_ reason: WireError = .malformed) {
        if isReading, problem == nil { problem = reason }
    }

    /// Takes what a reader gives; `nil` where it cannot be read.
    mutating func read<Value>(_ body: (inout ByteReader) throws(WireError) -> Value) -> Value? {
        do throws(WireError) { return try body(&reader) } catch {
            reject(error)
            reader.moveToEnd()
            return nil
        }
    }

    @inline(__always)
    private mutating func number<Value: FixedWidthInteger>(_ value: inout Value) {
        guard isReading else { return writer.write(value) }
        value = read { reader throws(WireError) in try reader.read(Value.self) } ?? 0
    }

    package mutating func code(bits value: inout UInt8) { number(&value) }
    package mutating func code(bits value: inout UInt16) { number(&value) }
    package mutating func code(bits value: inout UInt32) { number(&value) }
    package mutating func code(bits value: inout UInt64) { number(&value) }
    package mutating func code(bits value: inout Int64) { number(&value) }
}

// MARK: - Values

extension ByteCoder {
    package mutating func code(_ flag: inout Bool) {
        var byte: UInt8 = flag ? 1 : 0
        code(bits: &byte)
        if byte > 1 { reject() }
        flag = byte == 1
    }

    mutating func code(finite number: inout Float) {
        var bits = number.bitPattern
        code(bits: &bits)
        number = Float(bitPattern: bits)
        if !number.isFinite { reject(.outOfRange) }
    }

    package mutating func code(_ boot: inout BootID) {
        var raw = boot.rawValue
        code(bits: &raw)
        boot = BootID(rawValue: raw)
    }

    /// An id behind its length of one byte.
    package mutating func code(_ device: inout DeviceID) {
        guard isReading else { return writer.write(device) }
        device = read { reader throws(WireError) in try reader.readDevice() } ?? device
    }

    /// One of the values that a byte may stand for.
    @inlinable
    package mutating func code<Value: RawRepresentable<UInt8>>(_ value: inout Value) {
        var raw = value.rawValue
        code(bits: &raw)
        if let known = Value(rawValue: raw) { value = known } else { reject() }
    }

    /// A value that may be missing; `empty` is there for it while it is read.
    @inlinable
    package mutating func code<Value>(
        optional value: inout Value?, empty: Value, _ body: (inout ByteCoder, inout Value) -> Void
    ) {
        var (isPresent, wrapped) = (value != nil, value ?? empty)
        code(&isPresent)
        if isPresent { body(&self, &wrapped) }
        value = isPresent ? wrapped : nil
    }
}

// MARK: - Lists

extension ByteCoder {
    /// A count that may not exceed a limit, in four bytes.
    package mutating func code(count: Int, maximum: Int, orElse reason: WireError = .payloadTooLarge) -> Int {
        var bits = UInt32(truncatingIfNeeded: count)
        code(bits: &bits)
        guard isReading, bits > UInt32(clamping: maximum) else { return Int(bits) }
        reject(reason)
        return 0
    }

    /// The elements of an array, up to a limit. What is written is not copied.
    ///
    /// It may be compiled into other modules: unspecialised it takes ten times as long.
    @inlinable
    package mutating func code<Element>(
        array: inout [Element], maximum: Int, empty: Element, orElse reason: WireError = .payloadTooLarge,
        with body: (inout ByteCoder, inout Element) -> Void
    ) {
        let count = code(count: array.count, maximum: maximum, orElse: reason)
        if isReading { array.removeAll(keepingCapacity: true) }
        for index in 0..<count where !isInvalid {
            var element = isReading ? empty : array[index]
            body(&self, &element)
            if isReading { array.append(element) }
        }
    }

    /// Bytes of another form, up to a limit.
    package mutating func code(blob: inout [UInt8], maximum: Int) {
        let count = code(count: blob.count, maximum: maximum)
        guard isReading else { return writer.write(contentsOf: blob) }
        blob = read { reader throws(WireError) in Array(try reader.readBytes(count)) } ?? []
    }

    package mutating func code(_ text: inout String, maximumBytes: Int) {
        var bytes = isReading ? [] : Array(text.utf8)
        code(blob: &bytes, maximum: maximumBytes)
        guard isReading else { return }
        if let read = String(validating: bytes, as: UTF8.self) { text = read } else { reject(.notUTF8) }
    }

    /// Something behind its length; false where it cannot be read, and then what follows can.
    package mutating func code(apart body: (inout ByteCoder) -> Void) -> Bool {
        guard isReading else {
            let start = writer.count
            writer.write(UInt32(0))
            body(&self)
            writer.overwrite(at: start, with: UInt32(truncatingIfNeeded: writer.count - start - 4))
            return true
        }
        let count = code(count: 0, maximum: .max)
        guard let bytes = read({ reader throws(WireError) in try reader.readBytes(count) }) else { return false }
        var part = ByteCoder(reading: bytes)
        body(&part)
        return !part.isInvalid && part.isAtEnd
    }

    /// The elements of an array, each behind its length, so that one that cannot be read harms no other.
    ///
    /// - Returns: how many cannot be read; they are left out.
    mutating func code<Element>(
        apart array: inout [Element], maximum: Int, empty: Element, with body: (inout ByteCoder, inout Element) -> Void
    ) -> Int {
        var unreadable = 0
        var found: [Element] = []
        for index in 0..<code(count: array.count, maximum: maximum) where !isInvalid {
            var element = isReading ? empty : array[index]
            if !code(apart: { body(&$0, &element) }) { unreadable += 1 } else if isReading { found.append(element) }
        }
        if isReading { array = found }
        return unreadable
    }
}

// MARK: - Messages

/// A message from service to service: its mark, the version of its layout, and its fields.
package protocol ServiceMessage {
    static var mark: String { get }
    static var version: UInt8 { get }
    /// A message that has not been read yet.
    init()
    mutating func code(_ coder: inout ByteCoder)
}

extension ServiceMessage {
    package func encoded() -> [UInt8] {
        var (coder, copy) = (ByteCoder(capacity: 64), self)
        coder.code(Self.mark, version: Self.version)
        copy.code(&coder)
        return coder.bytes
    }

    /// Reads a message; throws `.unsupportedVersion` for an unknown layout.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self.init()
        var coder = ByteCoder(reading: bytes)
        coder.code(Self.mark, version: Self.version)
        if !coder.isInvalid { code(&coder) }
        if !coder.isAtEnd { coder.reject() }
        if let problem = coder.problem { throw problem }
    }
}

extension ByteCoder {
    /// The mark and the version with which a message begins.
    mutating func code(_ mark: String, version: UInt8) {
        guard isReading else {
            writer.write(contentsOf: mark.utf8)
            return writer.write(version)
        }
        guard !isAtEnd else { return reject(.emptyPayload) }
        let isOurs = read { reader throws(WireError) in try reader.readBytes(mark.utf8.count).elementsEqual(mark.utf8) }
        guard isOurs == true else { return reject() }
        var own = version
        code(bits: &own)
        if own != version { reject(.unsupportedVersion) }
    }
}
