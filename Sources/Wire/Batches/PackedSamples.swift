/// The numbers of one three-axis sensor as whole multiples of a unit, where that is exact to the bit: for each axis the
/// first multiple, then the differences from sample to sample in blocks of 16, each with the least bits that its block
/// needs.
///
/// Sensors measure in whole multiples of a unit, and texts have so many decimals: nearly every frame has a unit of this
/// list. Where one has none, its numbers are kept as they are.
///
/// A zero without a sign stands for one with a minus, which is what a text such as `-0.000` means.
enum PackedSamples {
    /// The mark of numbers that have no unit and follow as they are.
    static let unpacked: UInt8 = 0xFF
    /// The units of decimal texts, of parts and of the protobuf and compact forms, in m/s², rad/s and µT, the coarsest of
    /// a family first. A place in the list is part of the layout: more are added at its end alone.
    static let units: [Double] = {
        var units = decimals.flatMap { forms($0) }
        for parts in gravityParts { units += forms(9.806_65 / parts) + [1 / parts] }
        for parts in degreeParts + rangeDegreeParts { units += forms(.pi / 180 / parts) }
        for milliG in sensitivitiesMilliG { units += forms(9.806_65 * milliG / 1000) + [milliG / 1000] }
        for milliDegrees in sensitivitiesMilliDegrees { units += forms(.pi / 180 * milliDegrees / 1000) }
        return units + forms(microtesla)
    }()
    private static let decimals: [Double] = [0.1, 0.01, 0.001, 0.000_1, 0.000_01, 0.000_001]
    /// Parts of standard gravity: decimals of g, and ranges of ±2 g to ±16 g.
    private static let gravityParts: [Double] = [1000, 10_000, 256, 1024, 2048, 4096, 8192, 16_384]
    /// Parts of a degree a second: decimals, and ranges of ±250 to ±2,000 °/s.
    private static let degreeParts: [Double] = [
        10, 100, 1000, 16.4, 32.8, 65.5, 131, 14.285_714, 28.571_429, 57.142_857,
    ]
    /// The same ranges and ±125 °/s in 16 bits, to the last of them: 32,768 parts, where data sheets round.
    private static let rangeDegreeParts: [Double] = [16.384, 32.768, 65.536, 131.072, 262.144]
    /// Source: ST, LSM6DSO data sheet, table "Mechanical characteristics": linear acceleration and angular rate sensitivity.
    private static let sensitivitiesMilliG: [Double] = [0.061, 0.122, 0.244, 0.488]
    private static let sensitivitiesMilliDegrees: [Double] = [4.375, 8.75, 17.5, 35, 70]
    /// Source: TDK, ICM-20948 and MPU-9250 data sheets, and ST, LIS2MDL: magnetic sensor sensitivity.
    private static let microtesla = 0.15
    /// A unit as decoders have it: with the bits of a Double, and with those of a Float.
    private static func forms(_ unit: Double) -> [Double] { [unit, Double(Float(unit))] }
    private static let inverses = units.map { 1 / $0 }

    private static let blockSamples = 16
    /// The largest multiple: more bits than a number has would be no multiples.
    private static let maximumMultiple = Double(1 << 24)
    /// The most bits of a difference of two multiples, with its sign: from one end to the other it is twice the largest.
    private static let maximumBits: UInt8 = 27
    /// The bytes of a block of the most bits, and those that its last word touches beyond.
    private static let maximumBlockBytes = 64

    /// Appends the numbers of one sensor of a frame.
    static func write(_ frame: Frame, column: Int, to writer: inout ByteWriter) {
        let (rows, width) = (frame.sampleCount, frame.sensors.valuesPerSample)
        frame.values.withUnsafeBufferPointer { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: rows * 3) { multiples in
                if let unit = findUnit(of: values, first: column * 3, width: width, multiples) {
                    writer.write(unit)
                    for axis in 0..<3 { write(multiples, axis: axis, to: &writer) }
                } else {
                    writer.write(unpacked)
                    for row in 0..<rows {
                        for axis in 0..<3 { writer.write(values[row * width + column * 3 + axis].bitPattern) }
                    }
                }
            }
        }
    }

    /// The place of the unit of which all numbers are multiples, which are written to `multiples`.
    private static func findUnit(
        of values: UnsafeBufferPointer<Float>, first: Int, width: Int, _ multiples: UnsafeMutableBufferPointer<Int32>
    ) -> UInt8? {
        for place in units.indices where fill(multiples, from: values, first, width, of: place) { return UInt8(place) }
        return nil
    }

    /// Writes the multiples of a unit; false at the first number that is none.
    private static func fill(
        _ multiples: UnsafeMutableBufferPointer<Int32>, from values: UnsafeBufferPointer<Float>, _ first: Int,
        _ width: Int, of place: Int
    ) -> Bool {
        let (unit, inverse) = (units[place], inverses[place])
        var index = 0
        for row in stride(from: first, to: values.count, by: width) {
            for value in values[row..<row + 3] {
                let multiple = nearest(Double(value) * inverse)
                // What is not a number is equal to nothing.
                guard Float(multiple * unit) == value, abs(multiple) <= maximumMultiple else { return false }
                multiples[index] = Int32(multiple)
                index += 1
            }
        }
        return true
    }

    /// The nearest whole number of one below 2^51: beside so large a number no fraction has room. Without the
    /// instructions of newer processors `rounded()` is a call.
    @inline(__always)
    private static func nearest(_ number: Double) -> Double { number + 0x1.8p52 - 0x1.8p52 }

    private static func write(
        _ multiples: UnsafeMutableBufferPointer<Int32>, axis: Int, to writer: inout ByteWriter
    ) {
        var previous = multiples[axis]
        writer.write(previous)
        var next = axis + 3
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: blockSamples) { differences in
            while next < multiples.count {
                var union: UInt32 = 0
                for index in 0..<blockSamples {
                    // A block that the frame does not fill ends with numbers that do not change.
                    let multiple = next < multiples.count ? multiples[next] : previous
                    let difference = zigzag(multiple &- previous)
                    differences[index] = difference
                    union |= difference
                    previous = multiple
                    next += 3
                }
                writeBlock(differences, bits: UInt32.bitWidth - union.leadingZeroBitCount, to: &writer)
            }
        }
    }

    private static func writeBlock(
        _ differences: UnsafeMutableBufferPointer<UInt32>, bits: Int, to writer: inout ByteWriter
    ) {
        writer.write(UInt8(bits))
        withUnsafeTemporaryAllocation(byteCount: maximumBlockBytes, alignment: 8) { bytes in
            // The bits that are not stored yet, and how many: fewer than 32 between two numbers.
            var (word, filled, place) = (UInt64(0), 0, 0)
            for index in 0..<blockSamples {
                word |= UInt64(differences[index]) &<< UInt64(filled)
                filled += bits
                guard filled >= 32 else { continue }
                bytes.storeBytes(of: UInt32(truncatingIfNeeded: word), toByteOffset: place, as: UInt32.self)
                (word, filled, place) = (word >> 32, filled - 32, place + 4)
            }
            bytes.storeBytes(of: UInt32(truncatingIfNeeded: word), toByteOffset: place, as: UInt32.self)
            writer.write(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<(bits * blockSamples / 8)]))
        }
    }

    /// Reads the numbers of one sensor into a frame that has room for them.
    static func read(_ reader: inout ByteReader, into frame: inout Frame, column: Int) throws(WireError) {
        let (rows, width) = (frame.sampleCount, frame.sensors.valuesPerSample)
        let place = try reader.read(UInt8.self)
        try frame.values.withUnsafeMutableBufferPointer { values throws(WireError) in
            guard place != unpacked else {
                for row in 0..<rows {
                    for axis in 0..<3 {
                        let value = Float(bitPattern: try reader.read())
                        guard !value.isInfinite else { throw .outOfRange }
                        values[row * width + column * 3 + axis] = value
                    }
                }
                return
            }
            guard units.indices.contains(Int(place)) else { throw .malformed }
            for axis in 0..<3 {
                try read(&reader, unit: units[Int(place)], into: values, first: column * 3 + axis, width: width)
            }
        }
    }

    private static func read(
        _ reader: inout ByteReader, unit: Double, into values: UnsafeMutableBufferPointer<Float>, first: Int, width: Int
    ) throws(WireError) {
        var multiple = try reader.read(Int32.self)
        guard first < values.count else { return }
        values[first] = Float(Double(multiple) * unit)
        var place = first + width
        while place < values.count {
            let bits = try reader.read(UInt8.self)
            guard bits <= maximumBits else { throw .malformed }
            let block = try reader.readBytes(Int(bits) * blockSamples / 8)
            withUnsafeTemporaryAllocation(byteCount: maximumBlockBytes, alignment: 8) { bytes in
                bytes.initializeMemory(as: UInt8.self, repeating: 0)
                bytes.copyMemory(from: block)
                let mask = UInt64(1) << UInt64(bits) - 1
                for index in 0..<blockSamples where place < values.count {
                    let bit = index * Int(bits)
                    let word = bytes.loadUnaligned(fromByteOffset: bit / 8, as: UInt64.self) >> UInt64(bit % 8)
                    multiple &+= unzigzag(UInt32(truncatingIfNeeded: word & mask))
                    values[place] = Float(Double(multiple) * unit)
                    place += width
                }
            }
        }
    }

    /// Small numbers of either sign as small numbers without one. Source: Protocol Buffers encoding, "Signed integers".
    private static func zigzag(_ number: Int32) -> UInt32 {
        UInt32(bitPattern: number << 1 ^ number >> 31)
    }

    private static func unzigzag(_ number: UInt32) -> Int32 {
        Int32(bitPattern: number >> 1) ^ -Int32(bitPattern: number & 1)
    }
}
