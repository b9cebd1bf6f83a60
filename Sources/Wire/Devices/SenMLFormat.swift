/// SenML packs (RFC 8428): `[{"bn":"…","bt":…,"n":"ax","u":"m/s2","v":0.1,"t":…}, …]`.
///
/// Names that end with ax, ay, az, gx, gy, gz, or with acc/x and the like, are samples. Names that end with rpm,
/// cadence, watts, bpm, revolutions or steps are these quantities. A time below 2²⁸ is relative to the arrival.
enum SenMLFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["bn"] != nil || object["bt"] != nil || (object["n"] != nil && object["v"] != nil)
    }

    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let records = try message.json().array, !records.isEmpty else { throw .wrongType }
        var base = (name: "", time: 0.0, value: 0.0)
        var samples: [Int64: [String: Float]] = [:]
        var contents: [MotionContent] = []
        let refusals = try MotionContent.refusals(reading: records) { record throws(WireError) in
            guard let record = record.object else { throw .wrongType }
            if let name = try record["bn"]?.text() { base.name = name }
            let anyNumber = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
            if let time = try record["bt"]?.number(in: anyNumber) { base.time = time }
            if let value = try record["bv"]?.number(in: anyNumber) { base.value = value }
            guard let value = try record["v"]?.number(in: anyNumber) else { return }
            let name = base.name + (try record["n"]?.text() ?? "")
            let relative = base.time + (try record["t"]?.number(in: anyNumber) ?? 0)
            let time = try microseconds(relative, arrival: message.arrivalMicroseconds)
            if let axis = axis(name) {
                samples[time, default: [:]][axis] = Float(base.value + value)
            } else if let content = try content(name, base.value + value, time, message, &memory) {
                contents.append(content)
            }
        }
        var table = SampleTable()
        for (time, axes) in samples {
            if let x = axes["ax"], let y = axes["ay"], let z = axes["az"] {
                try table.acceleration.append(SIMD3(x, y, z), atMicroseconds: time)
            }
            if let x = axes["gx"], let y = axes["gy"], let z = axes["gz"] {
                try table.angularVelocity.append(SIMD3(x, y, z), atMicroseconds: time)
            }
        }
        let frames = try table.contents(of: message, &memory)
        guard samples.isEmpty || !frames.isEmpty else { throw .unevenSensors }
        return frames + contents + refusals
    }

    /// RFC 8428, section 4.5.3: values below 2²⁸ are relative to now.
    private static func microseconds(_ seconds: Double, arrival: Int64) throws(WireError) -> Int64 {
        let isRelative = seconds < 268_435_456
        guard let microseconds = Int64(exactly: (seconds * 1e6).rounded()) else { throw .absurdTime }
        let time = isRelative ? arrival.addingReportingOverflow(microseconds).partialValue : microseconds
        guard case .utc(let checked) = try FrameTime.checkedUTC(microseconds: time) else { throw .absurdTime }
        return checked
    }

    private static func axis(_ name: String) -> String? {
        let parts = name.lowercased().split { $0 == "/" || $0 == ":" || $0 == "." || $0 == "-" || $0 == "_" }
        guard let last = parts.last else { return nil }
        if ["ax", "ay", "az", "gx", "gy", "gz"].contains(last) { return String(last) }
        guard ["x", "y", "z"].contains(last), let sensor = parts.dropLast().last else { return nil }
        if sensor.hasPrefix("acc") { return "a\(last)" }
        return sensor.hasPrefix("gyr") ? "g\(last)" : nil
    }

    private static func content(
        _ name: String, _ value: Double, _ time: Int64, _ message: DeviceMessage, _ memory: inout DeviceMemory
    ) throws(WireError) -> MotionContent? {
        let name = name.lowercased()
        guard let quantity = quantities.first(where: { name.hasSuffix($0.key) })?.value else { return nil }
        return try message.content(quantity, value, atMicroseconds: time, &memory)
    }

    private static let quantities: KeyValuePairs<String, DeviceSource.Quantity> = [
        "revolutions": .revolutions, "rpm": .rpm, "cadence": .rpm, "watts": .watts, "bpm": .bpm, "steps": .bootSteps,
    ]
}
