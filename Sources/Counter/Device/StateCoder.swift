import Wire

/// Writes or reads the fields of a device's state, little-endian, in a fixed order.
///
/// One `transfer` function of each type serves both directions, so that writing and reading cannot disagree. Reading
/// past the end gives zeros and marks the state invalid; nothing traps on damaged bytes.
struct StateCoder {
    /// The bytes that are written or read.
    private(set) var bytes: [UInt8]
    private var position = 0
    private let end: Int
    /// Whether fields are taken from the bytes.
    let isReading: Bool
    /// True if a field held an impossible value.
    private(set) var isInvalid = false

    init(writingAfter bytes: [UInt8] = []) {
        self.bytes = bytes
        end = 0
        isReading = false
    }

    init(reading bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
        isReading = true
    }

    /// Whether all bytes were read.
    var isAtEnd: Bool { position == end }

    /// Marks the state as impossible.
    mutating func reject() {
        isInvalid = true
    }

    private mutating func word(_ value: UInt64, byteCount: Int) -> UInt64 {
        guard isReading else {
            withUnsafeBytes(of: value.littleEndian) {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
            }
            return value
        }
        guard end - position >= byteCount else {
            position = end
            isInvalid = true
            return 0
        }
        var result: UInt64 = 0
        for index in 0..<byteCount { result |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += byteCount
        return result
    }

    mutating func code(_ value: inout UInt64) { value = word(value, byteCount: 8) }

    /// The largest magnitude of a time or a sum. Sums and differences of values within it cannot overflow.
    static let maximumMagnitude: Int64 = 1 << 55

    mutating func code(_ value: inout Int64) { code(&value, orNone: 0) }

    /// A time or a sum, or one of the extremes where that stands for "none yet".
    mutating func code(_ value: inout Int64, orNone none: Int64) {
        let limit = Self.maximumMagnitude
        let written = value == none ? none : min(max(value, -limit), limit)
        value = Int64(bitPattern: word(UInt64(bitPattern: written), byteCount: 8))
        guard value != none, value.magnitude > limit.magnitude else { return }
        value = 0
        reject()
    }

    mutating func code(_ value: inout UInt8) { value = UInt8(truncatingIfNeeded: word(UInt64(value), byteCount: 1)) }

    mutating func code(_ value: inout Bool) { value = word(value ? 1 : 0, byteCount: 1) != 0 }

    mutating func code(_ value: inout Float) {
        value = Float(bitPattern: UInt32(truncatingIfNeeded: word(UInt64(value.bitPattern), byteCount: 4)))
        if !value.isFinite {
            value = 0
            reject()
        }
    }

    mutating func code(_ value: inout BootID) {
        var raw = value.rawValue
        code(&raw)
        value = BootID(rawValue: raw)
    }

    mutating func code(_ value: inout Int64?) {
        var isPresent = value != nil
        var wrapped = value ?? 0
        code(&isPresent)
        if isPresent { code(&wrapped) }
        value = isPresent ? wrapped : nil
    }

    mutating func code<Value: RawRepresentable>(_ value: inout Value) where Value.RawValue == UInt8 {
        let raw = UInt8(truncatingIfNeeded: word(UInt64(value.rawValue), byteCount: 1))
        if let known = Value(rawValue: raw) { value = known } else { reject() }
    }

    /// A count that may not exceed a limit.
    mutating func code(count: Int, maximum: Int) -> Int {
        let coded = word(UInt64(count), byteCount: 4)
        guard coded <= UInt64(maximum) else {
            reject()
            return 0
        }
        return Int(coded)
    }

    /// The elements of an array, up to a limit.
    mutating func code<Element>(
        array: inout [Element], maximum: Int, empty: Element, with transfer: (inout StateCoder, inout Element) -> Void
    ) {
        let count = code(count: array.count, maximum: maximum)
        if isReading { array = [] }
        for index in 0..<count where !isInvalid {
            if isReading { array.append(empty) }
            transfer(&self, &array[index])
        }
    }

    /// Bytes of another format, up to a limit.
    mutating func code(blob: inout [UInt8], maximum: Int) {
        let count = code(count: blob.count, maximum: maximum)
        guard isReading else {
            bytes.append(contentsOf: blob)
            return
        }
        guard end - position >= count else {
            position = end
            isInvalid = true
            return
        }
        blob = Array(bytes[position..<(position + count)])
        position += count
    }
}
