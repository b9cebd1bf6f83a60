/// Visits the fields of a state in a fixed order: to write them or to read them. One function a type does both, so that
/// the two cannot disagree.
protocol StateCoder {
    /// Visits the low bytes of a word, little-endian.
    mutating func code(bits: inout UInt64, byteCount: Int)
    /// Visits a range of floats.
    mutating func code(floats: inout [Float], range: Range<Int>)
    /// Marks the state as impossible (only a reader minds).
    mutating func reject()
}

extension StateCoder {
    mutating func code(_ value: inout Int64) {
        var bits = UInt64(bitPattern: value)
        code(bits: &bits, byteCount: 8)
        value = Int64(bitPattern: bits)
    }

    mutating func code(_ value: inout UInt64) {
        code(bits: &value, byteCount: 8)
    }

    mutating func code(_ value: inout Int) {
        var wide = Int64(value)
        code(&wide)
        value = Int(truncatingIfNeeded: wide)
    }

    mutating func code(_ value: inout Int, in range: ClosedRange<Int>) {
        code(&value)
        if !range.contains(value) {
            value = range.lowerBound
            reject()
        }
    }

    /// A time in microseconds, or −1 for none.
    mutating func code(time: inout Int64) {
        code(&time)
        if !(-1...SampleGuard.latestMicroseconds).contains(time) {
            time = 0
            reject()
        }
    }

    mutating func code(_ value: inout Float, in range: ClosedRange<Float>) {
        code(&value)
        if !range.contains(value) {
            value = range.lowerBound
            reject()
        }
    }

    mutating func code(_ value: inout Bool) {
        var bits: UInt64 = value ? 1 : 0
        code(bits: &bits, byteCount: 1)
        value = bits != 0
    }

    mutating func code(_ value: inout Float) {
        var bits = UInt64(value.bitPattern)
        code(bits: &bits, byteCount: 4)
        value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        if !value.isFinite {
            value = 0
            reject()
        }
    }

    mutating func code(_ value: inout Double) {
        var bits = value.bitPattern
        code(bits: &bits, byteCount: 8)
        value = Double(bitPattern: bits)
        if !value.isFinite {
            value = 0
            reject()
        }
    }

    mutating func code(_ value: inout SIMD4<Float>) {
        code(&value.x)
        code(&value.y)
        code(&value.z)
        code(&value.w)
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
