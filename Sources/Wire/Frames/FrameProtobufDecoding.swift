/// Decodes the protobuf form in two passes over the payload: the head and the number of values, then the values.
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

/// The numbers of one field, packed or one by one.
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

/// The place of the next value of one sensor.
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
        case .magic: guard try Self.fixed32(&reader, type) == ProtobufFrame.magic else { throw .malformed }
        case .boot: boot = try Self.varint(&reader, type)
        case .sequence: sequence = try Self.varint(&reader, type)
        case .utcMicroseconds: utcMicroseconds = try Self.varint(&reader, type)
        case .uptimeMicroseconds: uptimeMicroseconds = try Self.varint(&reader, type)
        case .periodNanoseconds: periodNanoseconds = try Self.varint(&reader, type)
        case .intervalsMicroseconds: intervalCount += try Self.count(&reader, type)
        case .accelerationScale: scales[0] = try Self.scale(&reader, type, default: 0)
        case .acceleration: counts[0] += try Self.count(&reader, type)
        case .angularVelocityScale: scales[1] = try Self.scale(&reader, type, default: 1)
        case .angularVelocity: counts[1] += try Self.count(&reader, type)
        case .magneticFieldScale: scales[2] = try Self.scale(&reader, type, default: 2)
        case .magneticField: counts[2] += try Self.count(&reader, type)
        case .gravityRemoved: gravityRemoved = try Self.varint(&reader, type) != 0
        case .pressures: pressureCount += try Self.count(&reader, type)
        }
    }

    /// Sets up an empty frame for the values.
    mutating func apply(to frame: inout Frame) throws(WireError) {
        frame.sampleCount = try sampleCount()
        for column in 0..<3 where counts[column] > 0 {
            firstPlaces[column] = frame.sensors.valuesPerSample
            frame.sensors.insert(ProtobufFrame.sensors[column])
        }
        if gravityRemoved && counts[0] > 0 { frame.sensors.insert(.gravityRemoved) }
        frame.identity = try identity()
        frame.time = try time()
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

    private func identity() throws(WireError) -> FrameIdentity {
        switch (boot, sequence) {
        case (let boot?, let sequence?): return .sequenced(boot: BootID(rawValue: boot), sequence: sequence)
        case (nil, nil): return .unsequenced(contentHash: 0)
        default: throw .wrongType
        }
    }

    private func time() throws(WireError) -> FrameTime {
        if let utcMicroseconds { return try .checkedUTC(microseconds: Int64(clamping: utcMicroseconds)) }
        if let uptimeMicroseconds { return try .checkedUptime(microseconds: Int64(clamping: uptimeMicroseconds)) }
        return .absent
    }

    private func timing() throws(WireError) -> FrameTiming {
        guard intervalCount == 0 || periodNanoseconds == 0 else { throw .contradiction }
        if intervalCount > 0 { return .intervals }
        guard let period = UInt32(exactly: periodNanoseconds) else { throw .absurdRate }
        return .uniform(periodNanoseconds: period)
    }

    private static func varint(
        _ reader: inout ProtobufReader, _ type: ProtobufWireType
    ) throws(WireError) -> UInt64 {
        guard type == .varint else { throw .wrongType }
        return try reader.varint()
    }

    private static func fixed32(
        _ reader: inout ProtobufReader, _ type: ProtobufWireType
    ) throws(WireError) -> UInt32 {
        guard type == .fixed32 else { throw .wrongType }
        return try reader.fixed32()
    }

    /// A unit must be a positive number; 0 means absent, as everywhere in protobuf.
    private static func scale(
        _ reader: inout ProtobufReader, _ type: ProtobufWireType, default column: Int
    ) throws(WireError) -> Float {
        let scale = Float(bitPattern: try fixed32(&reader, type))
        guard scale.isFinite, scale >= 0 else { throw .outOfRange }
        return scale == 0 ? ProtobufFrame.defaultScales[column] : scale
    }

    /// The number of values in a repeated field: packed, or one by one.
    private static func count(
        _ reader: inout ProtobufReader, _ type: ProtobufWireType
    ) throws(WireError) -> Int {
        switch type {
        case .lengthDelimited: return ProtobufReader.countPacked(try reader.lengthDelimited())
        case .varint:
            _ = try reader.varint()
            return 1
        default: throw .wrongType
        }
    }
}
