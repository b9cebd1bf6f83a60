/// The fields of `stridebus.Frame` in `schemas/stridebus.proto`, and the prefix of its payloads.
enum ProtobufFrame {
    /// The value of `magic`: "SBF1" in the order of its bytes.
    static let magic: UInt32 = 0x3146_4253
    /// The first bytes of every payload: the key of field 1 (fixed 32 bits) and the magic. No JSON begins with them.
    static let prefix: [UInt8] = [0x0D, 0x53, 0x42, 0x46, 0x31]

    enum Field: UInt64 {
        case magic = 1
        case boot = 2
        case sequence = 3
        case utcMicroseconds = 4
        case uptimeMicroseconds = 5
        case periodNanoseconds = 6
        case intervalsMicroseconds = 7
        case accelerationScale = 8
        case acceleration = 9
        case angularVelocityScale = 10
        case angularVelocity = 11
        case magneticFieldScale = 12
        case magneticField = 13
        case gravityRemoved = 14
        case pressures = 15
    }

    /// The default units of the numbers in a frame: mm/s², mrad/s, 0.1 µT.
    static let defaultScales: [Float] = [0.001, 0.001, 0.1]
    /// The number of pressure units in one hPa: pressures are in tenths of a pascal.
    static let pressureUnits: Float = 1000
    /// The columns in the order of the bits of `SensorSet`.
    static let sensors: [SensorSet] = [.acceleration, .angularVelocity, .magneticField]
    static let scaleFields: [Field] = [.accelerationScale, .angularVelocityScale, .magneticFieldScale]
    static let valueFields: [Field] = [.acceleration, .angularVelocity, .magneticField]
}

extension Frame {
    /// The frame as protobuf: whole multiples of 1 mm/s², 1 mrad/s, 0.1 µT and 0.1 Pa.
    public func encodedProtobuf() -> [UInt8] {
        var writer = ProtobufWriter()
        writer.field(.magic, fixed32: ProtobufFrame.magic)
        if case .sequenced(let boot, let sequence) = identity {
            writer.field(.boot, varint: boot.rawValue)
            writer.field(.sequence, varint: sequence)
        }
        switch time {
        case .utc(let microseconds): writer.field(.utcMicroseconds, varint: UInt64(clamping: microseconds))
        case .uptime(let microseconds): writer.field(.uptimeMicroseconds, varint: UInt64(clamping: microseconds))
        case .absent: break
        }
        switch timing {
        case .uniform(let period): if period > 0 { writer.field(.periodNanoseconds, varint: UInt64(period)) }
        case .intervals: writer.field(.intervalsMicroseconds, packed: intervalsMicroseconds.map { UInt64($0) })
        }
        var column = 0
        for (index, sensor) in ProtobufFrame.sensors.enumerated() where sensors.contains(sensor) {
            let scale = ProtobufFrame.defaultScales[index]
            writer.field(ProtobufFrame.scaleFields[index], fixed32: scale.bitPattern)
            let numbers = numbers(ofColumn: column).map { number in
                ProtobufWriter.zigzag(Int32(exactly: (Double(number) / Double(scale)).rounded()) ?? 0)
            }
            writer.field(ProtobufFrame.valueFields[index], packed: numbers)
            column += 1
        }
        if sensors.contains(.gravityRemoved) { writer.field(.gravityRemoved, varint: 1) }
        let pressures = pressuresHectopascals.map { pressure in
            UInt64(exactly: (Double(pressure) * Double(ProtobufFrame.pressureUnits)).rounded()) ?? 0
        }
        writer.field(.pressures, packed: pressures)
        return writer.bytes
    }

    /// The numbers of one sensor, row by row.
    private func numbers(ofColumn column: Int) -> [Float] { places(ofColumn: column).flatMap { values[$0..<$0 + 3] } }
}

/// Frames as JSON, for simulators, replays and tests.
extension Frame {
    /// The frame as JSON. Its numbers read back as the same `Float`s.
    package func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.writeIdentity(identity)
            writer.writeTime(time)
            writeTiming(to: &writer)
            for (column, name) in columnNames.enumerated() {
                writer.field(name, array: places(ofColumn: column)) { writer, place in
                    writer.array(values[place..<place + 3]) { $0.value($1) }
                }
            }
            guard !pressuresHectopascals.isEmpty else { return }
            writer.field("pressure", array: pressuresHectopascals) { $0.value($1) }
        }
    }

    /// The frame as compact JSON: acceleration in whole milli-g, angular velocity in whole mrad/s, time in whole ms.
    ///
    /// Pressures are in Pa with one decimal. The form has no magnetic field and no uneven intervals: the field is left
    /// out, and intervals become their mean rate.
    public func encodedCompactJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.writeIdentity(identity, boot: "b", seq: "s")
            switch time {
            case .utc(let microseconds), .uptime(let microseconds): writer.field("t", microseconds / 1000)
            case .absent: break
            }
            if let rate = rateHz { writer.field("hz", rate, decimals: 3) }
            var column = 0
            for (sensor, name, unit) in [(SensorSet.acceleration, "a", 1000 / 9.80665), (.angularVelocity, "g", 1000)]
            where sensors.contains(sensor) {
                writer.field(name, array: numbers(ofColumn: column)) { $0.value(Double($1) * unit, decimals: 0) }
                column += 1
            }
            guard !pressuresHectopascals.isEmpty else { return }
            writer.field("p", array: pressuresHectopascals) { $0.value(Double($1) * 100, decimals: 1) }
        }
    }

    private func writeTiming(to writer: inout JSONWriter) {
        switch timing {
        case .uniform(let period):
            guard period > 0 else { return }
            writer.key("rate_hz")
            writer.value(1e9 / Double(period))
        case .intervals: writer.field("dt_ms", array: intervalsMicroseconds) { $0.fixed(Int64($1), decimals: 3) }
        }
    }

    private var columnNames: [String] {
        let names = [sensors.contains(.gravityRemoved) ? "userAcceleration" : "acc", "gyro", "mag"]
        return zip(ProtobufFrame.sensors, names).filter { sensors.contains($0.0) }.map(\.1)
    }

    /// The indices in `values` at which the rows of one sensor begin.
    func places(ofColumn column: Int) -> StrideTo<Int> {
        let width = max(sensors.valuesPerSample, 3)
        return stride(from: column * 3, to: max(values.count - 2, 0), by: width)
    }

    /// The sampling rate in Hz, or the mean rate of uneven intervals; `nil` if it is unknown.
    public var rateHz: Double? {
        switch timing {
        case .uniform(let period): return period == 0 ? nil : 1e9 / Double(period)
        case .intervals:
            let sum = intervalsMicroseconds.reduce(0.0) { $0 + Double($1) }
            return sum > 0 ? Double(intervalsMicroseconds.count) * 1e6 / sum : nil
        }
    }
}
