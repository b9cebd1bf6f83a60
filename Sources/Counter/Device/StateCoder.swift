import Motion
import Wire

/// Writes or reads the fields of a state, little-endian, in a fixed order. One `transfer` function a type does both, so
/// that they cannot disagree.
///
/// Numbers outside their bounds are clamped when written, and make the state invalid when read: every saved state can be
/// restored. Reading past the end gives zeros and makes the state invalid; nothing traps on damaged bytes.
struct StateCoder {
    /// The bytes that are written or read.
    private(set) var bytes: [UInt8]
    private var position = 0
    private let end: Int
    /// Whether fields are taken from the bytes.
    let isReading: Bool
    /// True if a field that was read has an impossible value.
    private(set) var isInvalid = false

    /// The largest magnitude of a number in a state: its square is a finite `Float`.
    private static let largestNumber: Float = 1e13
    /// The largest counter in a state: it does not overflow in the life of a process.
    private static let largestCount = UInt64(1) << 62
    /// The largest magnitude of a time or a sum. Sums and differences of values within it cannot overflow.
    static let largestSum = Int64(1) << 55

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

    /// Marks the state as invalid. Has no effect on writing.
    mutating func reject() {
        isInvalid = isReading
    }

    /// The low bytes of a word.
    mutating func code(bits: inout UInt64, byteCount: Int = 8) {
        guard isReading else {
            withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0.prefix(byteCount)) }
            return
        }
        var word: UInt64 = 0
        if let start = advance(byteCount) {
            bytes.withUnsafeBytes { bytes in
                withUnsafeMutableBytes(of: &word) {
                    $0.copyMemory(from: .init(rebasing: bytes[start..<start + byteCount]))
                }
            }
        }
        bits = UInt64(littleEndian: word)
    }

    /// Where the next bytes to read begin; `nil` past the end.
    private mutating func advance(_ byteCount: Int) -> Int? {
        guard end - position >= byteCount else {
            position = end
            reject()
            return nil
        }
        defer { position += byteCount }
        return position
    }

    private mutating func hold<Number: Comparable>(_ value: inout Number, in range: ClosedRange<Number>) {
        if value > range.upperBound {
            value = range.upperBound
            reject()
        } else if !range.contains(value) {
            value = range.lowerBound
            reject()
        }
    }
}

// MARK: - Numbers

extension StateCoder {
    mutating func code(_ value: inout UInt64) {
        hold(&value, in: 0...Self.largestCount)
        code(bits: &value)
        hold(&value, in: 0...Self.largestCount)
    }

    /// A time or a sum.
    mutating func code(_ value: inout Int64) { code(&value, orNone: 0) }

    /// A time or a sum, or one of the extremes where that stands for "none yet".
    mutating func code(_ value: inout Int64, orNone none: Int64) {
        let limit = Self.largestSum
        var bits = UInt64(bitPattern: value == none ? none : min(max(value, -limit), limit))
        code(bits: &bits)
        value = Int64(bitPattern: bits)
        guard value != none, value.magnitude > limit.magnitude else { return }
        value = 0
        reject()
    }

    mutating func code(_ value: inout Int64?) {
        var (isPresent, wrapped) = (value != nil, value ?? 0)
        code(&isPresent)
        if isPresent { code(&wrapped) }
        value = isPresent ? wrapped : nil
    }

    mutating func code(_ value: inout UInt8) {
        var bits = UInt64(value)
        code(bits: &bits, byteCount: 1)
        value = UInt8(truncatingIfNeeded: bits)
    }

    mutating func code(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        code(&byte)
        value = byte != 0
    }

    mutating func code(_ value: inout Float) {
        if value.isNaN { value = 0 }
        let range = -Self.largestNumber...Self.largestNumber
        hold(&value, in: range)
        var bits = UInt64(value.bitPattern)
        code(bits: &bits, byteCount: 4)
        value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        hold(&value, in: range)
    }

    mutating func code(_ value: inout BootID) {
        var raw = value.rawValue
        code(bits: &raw)
        value = BootID(rawValue: raw)
    }

    mutating func code<Value: RawRepresentable<UInt8>>(_ value: inout Value) {
        var raw = value.rawValue
        code(&raw)
        if let known = Value(rawValue: raw) { value = known } else { reject() }
    }
}

// MARK: - Lists

extension StateCoder {
    /// A count that may not exceed a limit.
    mutating func code(count: Int, maximum: Int) -> Int {
        var bits = UInt64(count)
        code(bits: &bits, byteCount: 4)
        guard bits <= UInt64(maximum) else {
            reject()
            return 0
        }
        return Int(bits)
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
        guard isReading else { return bytes.append(contentsOf: blob) }
        guard let start = advance(count) else { return }
        blob = Array(bytes[start..<(start + count)])
    }

    /// A value that may be missing; `empty` is there for it while it is read.
    mutating func code<Value>(
        optional value: inout Value?, empty: Value, _ body: (inout StateCoder, inout Value) -> Void
    ) {
        var (isPresent, wrapped) = (value != nil, value ?? empty)
        code(&isPresent)
        if isPresent { body(&self, &wrapped) }
        value = isPresent ? wrapped : nil
    }

    /// The ranges of a set, up to a limit. Ranges that are empty, overlap or are out of order are not what was written.
    mutating func code(_ set: inout RangeSet<UInt64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    /// The same of times.
    mutating func code(_ set: inout RangeSet<Int64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    private mutating func code<Bound>(
        _ set: inout RangeSet<Bound>, maximum: Int, bound: (inout StateCoder, inout Bound) -> Void
    ) where Bound: FixedWidthInteger {
        var ranges = Array(set.ranges)
        code(array: &ranges, maximum: maximum, empty: 0..<0) { coder, range in
            var (lower, upper) = (range.lowerBound, range.upperBound)
            bound(&coder, &lower)
            bound(&coder, &upper)
            if lower < upper { range = lower..<upper } else { coder.reject() }
        }
        guard isReading else { return }
        set = RangeSet(ranges)
        if Array(set.ranges) != ranges { reject() }
    }
}
