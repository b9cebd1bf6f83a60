/// Any JSON, by a mapping from JSON pointers (RFC 6901) to fields: `ax=/imu/acc/0*9.80665 t=/time`.
///
/// Fields: `ax ay az` (m/s²), `gx gy gz` (rad/s), `mx my mz` (µT), each a number or a list of them; `t` (UTC, its unit
/// known by its size), `uptime_ms`, `boot`, `seq`, `rate_hz`; `rpm`, `watts`, `bpm`, `revolutions`, `day_steps`,
/// `boot_steps`.
enum MappingFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let fields = message.source?.fields else { throw .wrongType }
        let json = try message.json()
        var object = JSONObject()
        for field in fields {
            guard let value = json[field.pointer] else { continue }
            try object.append(field.name, try field.scaled(value))
        }
        var contents = try samples(object, message)
        if !contents.isEmpty { memory.hasSamples = true }
        let rider = RiderNumbers(
            rpm: try object.anyNumber("rpm"), watts: try object.anyNumber("watts"), bpm: try object.anyNumber("bpm"))
        contents += rider.contents(identity: message.arrivalIdentity, time: try object.frameTime())
        let hasIdentity = object["boot"] != nil && object["seq"] != nil
        // Of a wheel with two magnets every second count is half a turn.
        if let turns = try object["revolutions"]?.number(in: 0...Double(CountLimits.maximumCount)) {
            contents.append(
                try memory.revolutions(
                    UInt64(turns), message, identity: hasIdentity ? try object.identity(of: message.payload) : nil,
                    time: try object.frameTime()))
        }
        for (name, kind) in [("day_steps", DeviceStepCount.Kind.day), ("boot_steps", .boot)] {
            guard let steps = try object[name]?.count() else { continue }
            contents.append(
                try message.steps(steps, kind, at: try object.microseconds("t"), boot: try object.bootID()))
        }
        guard !contents.isEmpty else { throw .noSamples }
        return contents
    }

    private static func samples(_ object: JSONObject, _ message: DeviceMessage) throws(WireError) -> [MotionContent] {
        var frame = Frame()
        var columns: [[[Float]]] = []
        for (prefix, sensor) in [("a", SensorSet.acceleration), ("g", .angularVelocity), ("m", .magneticField)] {
            guard let axes = try axes(prefix, object) else { continue }
            frame.sensors.insert(sensor)
            columns.append(axes)
        }
        guard let rows = columns.first?[0].count else { return [] }
        guard columns.allSatisfy({ $0.allSatisfy { $0.count == rows } }) else { throw .unevenSensors }
        guard rows <= FrameLimits.maximumSamples else { throw .tooManySamples }
        frame.sampleCount = rows
        for row in 0..<rows {
            for axes in columns { for axis in axes { frame.values.append(axis[row]) } }
        }
        frame.time = try object.frameTime()
        if let rate = try object["rate_hz"]?.number(in: FrameLimits.minimumRateHz...FrameLimits.maximumRateHz) {
            frame.timing = .uniform(periodNanoseconds: UInt32((1e9 / rate).rounded()))
        }
        frame.identity =
            object["boot"] != nil || object["seq"] != nil
            ? try object.identity(of: message.payload)
            : frame.time == .absent
                ? message.arrivalIdentity : .unsequenced(contentHash: StableHash.of(message.payload))
        try frame.checkTiming()
        try frame.checkValues()
        return [.frame(frame)]
    }

    private static func axes(_ prefix: String, _ object: JSONObject) throws(WireError) -> [[Float]]? {
        var axes: [[Float]] = []
        for name in ["x", "y", "z"] {
            guard let value = object[prefix + name] else { continue }
            var axis: [Float] = []
            for element in value.array ?? [value] {
                axis.append(try element.sample() ?? .nan)
            }
            axes.append(axis)
        }
        guard !axes.isEmpty else { return nil }
        guard axes.count == 3 else { throw .wrongType }
        return axes
    }
}

/// A field of a mapping: its place in a document, and the factor of its numbers.
package struct MappedField: Sendable, Hashable {
    package var name: String
    /// The JSON pointer to its value.
    package var pointer: String
    /// The factor of a number.
    package var scale: Double = 1

    /// The field names that a mapping may have.
    package static let names: Set<String> = [
        "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz", "t", "uptime_ms", "boot", "seq", "rate_hz", "rpm",
        "watts", "bpm", "revolutions", "day_steps", "boot_steps",
    ]

    /// Reads a field from its name and its text in a source: a pointer, and optionally a factor behind `*`.
    init(_ name: String, _ text: String) throws(DeviceSource.Problem) {
        let parts = text.split(separator: "*", maxSplits: 1)
        guard let pointer = parts.first, pointer.hasPrefix("/") else {
            throw DeviceSource.Problem(
                description: "'\(name)=\(text)' is no JSON pointer: it begins with '/'")
        }
        (self.name, self.pointer) = (name, String(pointer))
        guard parts.count == 2 else { return }
        guard let scale = Double(parts[1]), scale.isFinite, scale != 0 else {
            throw DeviceSource.Problem(description: "'\(name)=\(text)': what follows '*' is a number")
        }
        self.scale = scale
    }

    func scaled(_ value: JSONValue) throws(WireError) -> JSONValue {
        guard scale != 1, value != .null else { return value }
        if let elements = value.array {
            var scaledElements: [JSONValue] = []
            for element in elements { scaledElements.append(try scaled(element)) }
            return .array(scaledElements)
        }
        guard let number = value.double else { throw .wrongType }
        return .number(number * scale)
    }
}

extension JSONValue {
    /// The value at a JSON pointer (RFC 6901); nil if there is none.
    package subscript(pointer: String) -> JSONValue? {
        var value = self
        for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = token.replacing("~1", with: "/").replacing("~0", with: "~")
            if let object = value.object {
                guard let member = object[String(name)] else { return nil }
                value = member
            } else if let array = value.array, let index = Int(name), array.indices.contains(index) {
                value = array[index]
            } else {
                return nil
            }
        }
        return value
    }
}

/// A topic whose whole payload is one number: ESPHome's sensors, Home Assistant's states.
///
/// The source says what the number is: `rpm`, `watts`, `bpm`, `revolutions` (counted since the device started), or steps:
/// `day-steps` (since local midnight), `boot-steps` (since the device started).
enum NumberFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let number = try message.number() else { return [] }
        guard let quantity = message.source?.quantity else { throw .wrongType }
        switch quantity {
        case .rpm: return [.reading(.cadence, number, message)]
        case .watts: return [.reading(.power, number, message)]
        case .bpm: return [.reading(.heart, number, message)]
        case .revolutions, .daySteps, .bootSteps: break
        }
        // Nobody makes a part of a step: 8.123 is a number that was written for people, and may be 8123.
        guard quantity == .revolutions || number.rounded() == number else { throw .fractionalCount }
        guard let count = UInt64(exactly: number.rounded(.down)) else { throw .outOfRange }
        guard quantity != .revolutions else { return [try memory.revolutions(count, message)] }
        return [try message.steps(count, quantity == .daySteps ? .day : .boot)]
    }
}
