/// Visits the fields of a state in a fixed order, to write or to read them. One `transfer` function a type does both,
/// so that they cannot disagree.
protocol StateCoder {
    /// Visits the low bytes of a word, little-endian.
    mutating func code(bits: inout UInt64, byteCount: Int)
    /// Marks the state as invalid. Has no effect on writing.
    mutating func reject()
}

/// The largest magnitude of a number in a state: sums of squares of the largest admitted samples stay far below it, and
/// its square is a finite `Float`.
private let largestNumber: Float = 1e13
/// The largest counter in a state: it does not overflow in the life of a process.
private let largestCount = UInt64(1) << 62

/// Numbers outside their bounds are rejected when read, and clamped when written: every saved state can be restored.
extension StateCoder {
    private mutating func hold<Number: Comparable>(_ value: inout Number, in range: ClosedRange<Number>) {
        if value > range.upperBound {
            value = range.upperBound
            reject()
        } else if !range.contains(value) {
            value = range.lowerBound
            reject()
        }
    }

    mutating func code(_ value: inout UInt64) {
        hold(&value, in: 0...largestCount)
        code(bits: &value, byteCount: 8)
        hold(&value, in: 0...largestCount)
    }

    mutating func code(_ value: inout Int64, in range: ClosedRange<Int64>) {
        hold(&value, in: range)
        var bits = UInt64(bitPattern: value)
        code(bits: &bits, byteCount: 8)
        value = Int64(bitPattern: bits)
        hold(&value, in: range)
    }

    mutating func code(_ value: inout Int, in range: ClosedRange<Int>) {
        var wide = Int64(value)
        code(&wide, in: Int64(range.lowerBound)...Int64(range.upperBound))
        value = Int(truncatingIfNeeded: wide)
    }

    /// A time in microseconds, or −1 for none.
    mutating func code(time: inout Int64) {
        code(&time, in: -1...SampleGuard.latestMicroseconds)
    }

    mutating func code(_ value: inout Bool) {
        var bits: UInt64 = value ? 1 : 0
        code(bits: &bits, byteCount: 1)
        value = bits != 0
    }

    mutating func code(_ value: inout Float) {
        if value.isNaN { value = 0 }
        code(&value, in: -largestNumber...largestNumber)
    }

    mutating func code(_ value: inout Float, in range: ClosedRange<Float>) {
        hold(&value, in: range)
        var bits = UInt64(value.bitPattern)
        code(bits: &bits, byteCount: 4)
        value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        hold(&value, in: range)
    }

    mutating func code(_ value: inout Double, in range: ClosedRange<Double>) {
        hold(&value, in: range)
        var bits = value.bitPattern
        code(bits: &bits, byteCount: 8)
        value = Double(bitPattern: bits)
        hold(&value, in: range)
    }

    mutating func code(floats: inout [Float], range: Range<Int>) {
        for index in range {
            code(&floats[index])
        }
    }

    mutating func code(_ value: inout SIMD4<Float>) {
        code(&value.x)
        code(&value.y)
        code(&value.z)
        code(&value.w)
    }

    mutating func code(_ value: inout SIMD4<Int16>) {
        for lane in 0..<4 {
            var bits = UInt64(UInt16(bitPattern: value[lane]))
            code(bits: &bits, byteCount: 2)
            value[lane] = Int16(truncatingIfNeeded: bits)
        }
    }

    mutating func code(_ value: inout SensorSet) {
        var bits = UInt64(value.rawValue)
        code(bits: &bits, byteCount: 1)
        value = SensorSet(rawValue: UInt8(truncatingIfNeeded: bits))
    }

    mutating func code<Value: RawRepresentable>(_ value: inout Value) where Value.RawValue == UInt8 {
        var bits = UInt64(value.rawValue)
        code(bits: &bits, byteCount: 1)
        if let known = Value(rawValue: UInt8(truncatingIfNeeded: bits)) {
            value = known
        } else {
            reject()
        }
    }
}

/// Reads the fields of a state. Past the end it reads zeros, and marks the state as too short.
struct StateReader: StateCoder {
    let bytes: [UInt8]
    var position: Int
    let end: Int
    private(set) var isInvalid = false

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func code(bits: inout UInt64, byteCount: Int) {
        bits = 0
        guard end - position >= byteCount else {
            position = end
            isInvalid = true
            return
        }
        for index in 0..<byteCount {
            bits |= UInt64(bytes[position + index]) << UInt64(8 * index)
        }
        position += byteCount
    }

    mutating func reject() {
        isInvalid = true
    }
}

/// Writes the fields of a state, little-endian.
struct StateWriter: StateCoder {
    var bytes: [UInt8]

    mutating func code(bits: inout UInt64, byteCount: Int) {
        for index in 0..<byteCount {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)))
        }
    }

    mutating func reject() {}
}

/// Saved bytes that are not a valid state.
public enum MotionStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes have another layout: count from a new pipeline instead.
    case unknownVersion(UInt8)
    /// There are fewer or more bytes than the layout has.
    case wrongLength(Int)
    /// The checksum is wrong: the bytes are damaged.
    case wrongChecksum
    /// A field has an impossible value.
    case invalidField

    /// The error and its remedy, in a line.
    public var description: String {
        switch self {
        case .unknownVersion(let version): "state has layout \(version): start a fresh pipeline"
        case .wrongLength(let count): "state of \(count) bytes is cut or padded: start a fresh pipeline"
        case .wrongChecksum: "state bytes were changed after saving: start a fresh pipeline"
        case .invalidField: "state holds an impossible value: start a fresh pipeline"
        }
    }
}
