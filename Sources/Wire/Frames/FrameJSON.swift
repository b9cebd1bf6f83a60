/// Frames as JSON, for simulators, replays and tests.
extension Frame {
    /// Our JSON form: numbers read back as the same `Float`s.
    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeIdentity(identity)
        writer.writeTime(time)
        writeTiming(to: &writer)
        for (column, name) in columnNames.enumerated() { writeRows(to: &writer, name: name, column: column) }
        writePressures(to: &writer, name: "pressure") { $0.value($1) }
        writer.endObject()
        return writer.bytes
    }

    /// Our compact JSON form: acceleration in whole milli-g, angular velocity in whole mrad/s, time in whole ms.
    ///
    /// Pressures are in Pa with one decimal. It has no magnetic field and no uneven intervals: the field is left out,
    /// intervals become their mean rate.
    public func encodedCompactJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeIdentity(identity, boot: "b", seq: "s")
        switch time {
        case .utc(let microseconds), .uptime(let microseconds): writer.field("t", microseconds / 1000)
        case .absent: break
        }
        if let rate = rateHz { writer.field("hz", rate, decimals: 3) }
        var column = 0
        if sensors.contains(.acceleration) {
            writeFlat(to: &writer, name: "a", column: column, unit: 1000 / 9.80665)
            column += 1
        }
        if sensors.contains(.angularVelocity) { writeFlat(to: &writer, name: "g", column: column, unit: 1000) }
        writePressures(to: &writer, name: "p") { $0.value(Double($1) * 100, decimals: 1) }
        writer.endObject()
        return writer.bytes
    }

    private func writePressures(
        to writer: inout JSONWriter, name: String, _ write: (inout JSONWriter, Float) -> Void
    ) {
        guard !pressuresHectopascals.isEmpty else { return }
        writer.key(name)
        writer.beginArray()
        for pressure in pressuresHectopascals { write(&writer, pressure) }
        writer.endArray()
    }

    private func writeTiming(to writer: inout JSONWriter) {
        switch timing {
        case .uniform(let period):
            guard period > 0 else { return }
            writer.key("rate_hz")
            writer.value(1e9 / Double(period))
        case .intervals:
            writer.key("dt_ms")
            writer.beginArray()
            for interval in intervalsMicroseconds { writer.fixed(Int64(interval), decimals: 3) }
            writer.endArray()
        }
    }

    private var columnNames: [String] {
        var names: [String] = []
        if sensors.contains(.acceleration) {
            names.append(sensors.contains(.gravityRemoved) ? "userAcceleration" : "acc")
        }
        if sensors.contains(.angularVelocity) { names.append("gyro") }
        if sensors.contains(.magneticField) { names.append("mag") }
        return names
    }

    private func writeRows(to writer: inout JSONWriter, name: String, column: Int) {
        writer.key(name)
        writer.beginArray()
        for place in places(ofColumn: column) {
            writer.beginArray()
            for axis in 0..<3 { writer.value(values[place + axis]) }
            writer.endArray()
        }
        writer.endArray()
    }

    private func writeFlat(to writer: inout JSONWriter, name: String, column: Int, unit: Double) {
        writer.key(name)
        writer.beginArray()
        for place in places(ofColumn: column) {
            for axis in 0..<3 { writer.value(Double(values[place + axis]) * unit, decimals: 0) }
        }
        writer.endArray()
    }

    /// The indices in `values` at which the rows of one sensor begin.
    func places(ofColumn column: Int) -> StrideTo<Int> {
        let width = max(sensors.valuesPerSample, 3)
        return stride(from: column * 3, to: max(values.count - 2, 0), by: width)
    }

    /// The sampling rate, or the mean one; `nil` when it is unknown.
    public var rateHz: Double? {
        switch timing {
        case .uniform(let period): return period == 0 ? nil : 1e9 / Double(period)
        case .intervals:
            let sum = intervalsMicroseconds.reduce(0.0) { $0 + Double($1) }
            return sum > 0 ? Double(intervalsMicroseconds.count) * 1e6 / sum : nil
        }
    }
}
