/// Our protobuf form, in two passes over the payload: the head and the number of values, then the values in place.
extension Frame {
    /// Decodes the protobuf form into this empty frame.
    mutating func decodeProtobuf(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        var head = ProtobufFrameHead()
        var reader = ProtobufReader(payload)
        while !reader.isAtEnd { try head.readField(&reader) }
        try head.apply(to: &self)
        for column in 0..<3 { try readColumn(column, head: head, payload: payload) }
        if case .intervals = timing { try readIntervals(payload) }
        if head.pressureCount > 0 { try readPressures(payload) }
    }

    /// Writes one sensor's values to their places; a magnetometer with fewer rows than the others is spread.
    private mutating func readColumn(
        _ column: Int, head: ProtobufFrameHead, payload: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard head.counts[column] > 0 else { return }
        var place = ProtobufPlace(
            first: head.firstPlaces[column], width: sensors.valuesPerSample, scale: head.scales[column])
        var reader = ProtobufReader(payload)
        while !reader.isAtEnd {
            let (field, type) = try reader.key()
            guard field == ProtobufFrame.valueFields[column].rawValue else {
                try reader.skip(type)
                continue
            }
            try values.withUnsafeMutableBufferPointer { values throws(WireError) in
                try place.fill(values, from: &reader, type)
            }
        }
        spread(rows: head.counts[column] / 3, first: head.firstPlaces[column])
    }

    /// Spreads leading rows of one sensor over all rows, in place, from the back.
    private mutating func spread(rows: Int, first: Int) {
        guard rows < sampleCount else { return }
        let width = sensors.valuesPerSample
        for row in stride(from: sampleCount - 1, through: 0, by: -1) {
            let source = first + (row * rows / sampleCount) * width
            for axis in 0..<3 { values[first + row * width + axis] = values[source + axis] }
        }
    }

    private mutating func readIntervals(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        var place = ProtobufNumbers(payload, field: .intervalsMicroseconds)
        while let interval = try place.next() { intervalsMicroseconds.append(interval) }
    }

    private mutating func readPressures(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        var place = ProtobufNumbers(payload, field: .pressures)
        while let pressure = try place.next() {
            pressuresHectopascals.append(Float(Double(pressure) / Double(ProtobufFrame.pressureUnits)))
        }
    }
}

/// The numbers of one field, whether packed or one by one.
private struct ProtobufNumbers {
    private let field: ProtobufFrame.Field
    private var reader: ProtobufReader
    private var packed: ProtobufReader?

    init(_ payload: UnsafeRawBufferPointer, field: ProtobufFrame.Field) {
        self.field = field
        reader = ProtobufReader(payload)
    }

    /// The next number; `nil` after the last.
    mutating func next() throws(WireError) -> UInt32? {
        while true {
            if var numbers = packed, !numbers.isAtEnd {
                let number = try numbers.varint()
                packed = numbers
                return try Self.checked(number)
            }
            guard !reader.isAtEnd else { return nil }
            let (number, type) = try reader.key()
            if number != field.rawValue {
                try reader.skip(type)
            } else if type == .lengthDelimited {
                packed = ProtobufReader(try reader.lengthDelimited())
            } else {
                return try Self.checked(try reader.varint())
            }
        }
    }

    private static func checked(_ value: UInt64) throws(WireError) -> UInt32 {
        guard let number = UInt32(exactly: value) else { throw .outOfRange }
        return number
    }
}

/// Where the next value of one sensor goes.
private struct ProtobufPlace {
    private var row: Int
    private var axis = 0
    private let width: Int
    private let scale: Float

    init(first: Int, width: Int, scale: Float) {
        row = first
        self.width = width
        self.scale = scale
    }

    mutating func fill(
        _ values: UnsafeMutableBufferPointer<Float>, from reader: inout ProtobufReader, _ type: ProtobufWireType
    ) throws(WireError) {
        guard type == .lengthDelimited else { return try store(try reader.varint(), in: values) }
        var packed = ProtobufReader(try reader.lengthDelimited())
        while !packed.isAtEnd { try store(try packed.varint(), in: values) }
    }

    @inline(__always)
    private mutating func store(_ value: UInt64, in values: UnsafeMutableBufferPointer<Float>) throws(WireError) {
        guard row + axis < values.count else { throw .malformed }
        values[row + axis] = Float(try ProtobufReader.unzigzag(value)) * scale
        axis += 1
        guard axis == 3 else { return }
        axis = 0
        row += width
    }
}
