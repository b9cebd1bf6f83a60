/// Decodes the protobuf form in two passes over the payload: the head and the number of values, then the values.
extension Frame {
    /// Decodes the protobuf form into this empty frame.
    mutating func decodeProtobuf(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        var head = ProtobufFrameHead()
        var reader = ProtobufReader(payload)
        while !reader.isAtEnd { try head.readField(&reader) }
        try head.apply(to: &self)
        for column in 0..<3 where head.counts[column] > 0 { try readColumn(column, head, payload) }
        if case .intervals = timing {
            var runs = ProtobufRuns(payload, field: .intervalsMicroseconds)
            while var run = try runs.next() {
                while !run.isAtEnd { intervalsMicroseconds.append(try run.word()) }
            }
        }
        var runs = ProtobufRuns(payload, field: .pressures)
        while head.pressureCount > 0, var run = try runs.next() {
            while !run.isAtEnd {
                pressuresHectopascals.append(Float(Double(try run.word()) / Double(ProtobufFrame.pressureUnits)))
            }
        }
    }

    /// Writes one sensor's values to their places; a magnetometer with fewer rows than the others is spread.
    private mutating func readColumn(
        _ column: Int, _ head: ProtobufFrameHead, _ payload: UnsafeRawBufferPointer
    ) throws(WireError) {
        let (first, scale, width) = (head.firstPlaces[column], head.scales[column], sensors.valuesPerSample)
        var runs = ProtobufRuns(payload, field: ProtobufFrame.valueFields[column])
        try values.withUnsafeMutableBufferPointer { values throws(WireError) in
            var (row, axis) = (first, 0)
            while var run = try runs.next() {
                while !run.isAtEnd {
                    guard row + axis < values.count else { throw .malformed }
                    values[row + axis] = Float(try ProtobufReader.unzigzag(try run.varint())) * scale
                    axis += 1
                    if axis == 3 { (row, axis) = (row + width, 0) }
                }
            }
        }
        spread(rows: head.counts[column] / 3, first: first)
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
}

/// The numbers of one field, run by run: a run is packed, or one number alone.
private struct ProtobufRuns {
    private let field: UInt64
    private var reader: ProtobufReader

    init(_ payload: UnsafeRawBufferPointer, field: ProtobufFrame.Field) {
        self.field = field.rawValue
        reader = ProtobufReader(payload)
    }

    /// The next run; `nil` after the last.
    mutating func next() throws(WireError) -> ProtobufReader? {
        while !reader.isAtEnd {
            let (number, type) = try reader.key()
            if number != field {
                try reader.skip(type)
            } else if type == .lengthDelimited {
                return ProtobufReader(try reader.lengthDelimited())
            } else {
                var start = reader.bytes
                try reader.skip(.varint)
                return ProtobufReader(try start.readBytes(reader.bytes.position - start.position))
            }
        }
        return nil
    }
}

/// The result of the first pass over a protobuf frame: everything but the values.
struct ProtobufFrameHead {
    var boot: UInt64?
    var sequence: UInt64?
    var utcMicroseconds: UInt64?
    var uptimeMicroseconds: UInt64?
    var periodNanoseconds: UInt64 = 0
    var intervalCount = 0
    var gravityRemoved = false
    var pressureCount = 0
    /// By column: the number of values, their offset in a row, and the unit of a number.
    var counts = SIMD3<Int>()
    var firstPlaces = SIMD3<Int>()
    var scales = SIMD3<Float>(ProtobufFrame.defaultScales)

    /// Takes one field; unknown ones are skipped.
    mutating func readField(_ reader: inout ProtobufReader) throws(WireError) {
        let (number, type) = try reader.key()
        guard let field = ProtobufFrame.Field(rawValue: number) else { return try reader.skip(type) }
        switch field {
        case .magic: guard try reader.fixed32(type) == ProtobufFrame.magic else { throw .malformed }
        case .boot: boot = try reader.varint(type)
        case .sequence: sequence = try reader.varint(type)
        case .utcMicroseconds: utcMicroseconds = try reader.varint(type)
        case .uptimeMicroseconds: uptimeMicroseconds = try reader.varint(type)
        case .periodNanoseconds: periodNanoseconds = try reader.varint(type)
        case .intervalsMicroseconds: intervalCount += try reader.count(type)
        case .accelerationScale: try readScale(&reader, type, 0)
        case .acceleration: counts[0] += try reader.count(type)
        case .angularVelocityScale: try readScale(&reader, type, 1)
        case .angularVelocity: counts[1] += try reader.count(type)
        case .magneticFieldScale: try readScale(&reader, type, 2)
        case .magneticField: counts[2] += try reader.count(type)
        case .gravityRemoved: gravityRemoved = try reader.varint(type) != 0
        case .pressures: pressureCount += try reader.count(type)
        }
    }

    /// A unit must be a positive number; 0 means absent, as everywhere in protobuf.
    private mutating func readScale(
        _ reader: inout ProtobufReader, _ type: ProtobufWireType, _ column: Int
    ) throws(WireError) {
        let scale = Float(bitPattern: try reader.fixed32(type))
        guard scale.isFinite, scale >= 0 else { throw .outOfRange }
        scales[column] = scale == 0 ? ProtobufFrame.defaultScales[column] : scale
    }

    /// Sets up an empty frame for the values.
    mutating func apply(to frame: inout Frame) throws(WireError) {
        frame.sampleCount = try sampleCount()
        for column in 0..<3 where counts[column] > 0 {
            firstPlaces[column] = frame.sensors.valuesPerSample
            frame.sensors.insert(ProtobufFrame.sensors[column])
        }
        if gravityRemoved && counts[0] > 0 { frame.sensors.insert(.gravityRemoved) }
        switch (boot, sequence) {
        case (let boot?, let sequence?):
            frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: sequence)
        case (nil, nil): break
        default: throw .wrongType
        }
        if let utcMicroseconds {
            frame.time = try .checkedUTC(microseconds: Int64(clamping: utcMicroseconds), earliest: 0)
        } else if let uptimeMicroseconds {
            frame.time = try .checkedUptime(microseconds: Int64(clamping: uptimeMicroseconds))
        }
        frame.timing = try timing()
        frame.values.append(
            contentsOf: repeatElement(0, count: frame.sampleCount * frame.sensors.valuesPerSample))
    }

    /// The number of rows, or of pressures if there is nothing else. A magnetometer may have fewer rows beside another
    /// sensor.
    private func sampleCount() throws(WireError) -> Int {
        let values = max(counts[0], counts[1], counts[0] + counts[1] == 0 ? counts[2] : 0)
        guard pressureCount <= FrameLimits.maximumSamples else { throw .tooManySamples }
        if values == 0, pressureCount > 0 { return pressureCount }
        guard values > 0 else { throw .noSamples }
        for column in 0..<3 {
            guard counts[column] % 3 == 0 else { throw .unevenSensors }
            let isEven = counts[column] == 0 || counts[column] == values || (column == 2 && counts[column] < values)
            guard isEven else { throw .unevenSensors }
        }
        guard values / 3 <= FrameLimits.maximumSamples, intervalCount < FrameLimits.maximumSamples
        else { throw .tooManySamples }
        return values / 3
    }

    private func timing() throws(WireError) -> FrameTiming {
        guard intervalCount == 0 || periodNanoseconds == 0 else { throw .contradiction }
        if intervalCount > 0 { return .intervals }
        guard let period = UInt32(exactly: periodNanoseconds) else { throw .absurdRate }
        return .uniform(periodNanoseconds: period)
    }
}

extension ProtobufReader {
    fileprivate mutating func word() throws(WireError) -> UInt32 {
        guard let word = UInt32(exactly: try varint()) else { throw .outOfRange }
        return word
    }

    fileprivate mutating func varint(_ type: ProtobufWireType) throws(WireError) -> UInt64 {
        guard type == .varint else { throw .wrongType }
        return try varint()
    }

    fileprivate mutating func fixed32(_ type: ProtobufWireType) throws(WireError) -> UInt32 {
        guard type == .fixed32 else { throw .wrongType }
        return try bytes.read()
    }

    /// The number of values in a repeated field: packed, or one by one. A varint has one byte without the top bit.
    fileprivate mutating func count(_ type: ProtobufWireType) throws(WireError) -> Int {
        if type == .lengthDelimited { return try lengthDelimited().count { $0 < 0x80 } }
        _ = try varint(type)
        return 1
    }
}
