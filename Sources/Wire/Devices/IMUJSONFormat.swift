/// The JSON of sketches for ESP32, M5Stack and Arduino: `{"ax":…,"ay":…,"az":…,"gx":…}`, `{"accel":{"x":…},"gyro":{…}}`
/// or `{"accX":…,"gycX":…}`, one sample a message or a list of them, plain or wrapped as `{"ts":ms,"values":{…}}`.
///
/// Acceleration comes in m/s², in g or in raw counts (of an MPU6050 16,384 a g), angular velocity in rad/s, °/s or raw
/// counts (131 a °/s), and no field states the unit. Raw counts are recognised by their size; the counter decides
/// between g and m/s². A library that reports g reports °/s.
enum IMUJSONFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        if let values = object["values"]?.object, object["ts"] != nil { return recognises(values) }
        let fields = object.lowercased
        // An incomplete set of axes has this format too, and is refused when it is decoded.
        return (accelerationNames + angularVelocityNames).contains { name in
            let sensor = fields[name]?.object?.lowercased
            return ["x", "y", "z"].contains { sensor?[$0] != nil } || fields.member(name + "x") != nil
                || fields.member(name + "_x") != nil
        }
    }

    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let json = try message.json()
        var table = SampleTable()
        var identity: FrameIdentity?
        let records = json.array ?? [json]
        var isFirst = true
        let refusals = try MotionContent.refusals(reading: records) { record throws(WireError) in
            guard let object = record.object else { throw .wrongType }
            let values = object["ts"] == nil ? object : object["values"]?.object ?? object
            let time = try RecordTime(object, values, arrival: message.arrivalMicroseconds, &memory.ownClock)
            guard records.count == 1 || time.isKnown else { throw .absurdRate }
            if isFirst {
                isFirst = false
                table.clock = time.clock
                if values["boot"] != nil || values["seq"] != nil {
                    identity = try values.identity(of: message.payload)
                } else if !time.isKnown {
                    identity = message.arrivalIdentity
                }
            }
            try append(values, time.microseconds, to: &table)
        }
        guard !table.acceleration.isEmpty || !table.angularVelocity.isEmpty else { throw .noSamples }
        settleUnits(of: &table, message.source, &memory)
        return try refusals + table.contents(of: message, identity: identity, &memory)
    }

    private static func append(
        _ values: JSONObject, _ time: Int64, to table: inout SampleTable
    ) throws(WireError) {
        let fields = values.lowercased
        if let value = try axes(accelerationNames, in: fields) {
            try table.acceleration.append(value, atMicroseconds: time)
        }
        if let value = try axes(angularVelocityNames, in: fields) {
            try table.angularVelocity.append(value, atMicroseconds: time)
        }
        if let value = try axes(magneticFieldNames, in: fields) {
            try table.magneticField.append(value, atMicroseconds: time)
        }
    }

    /// A mean magnitude above this is one of raw counts: no ±16 g part reaches it in m/s².
    private static let rawMagnitude: Float = 400
    /// No part of 16 bits says more, in whatever unit.
    private static let greatestMagnitude: Float = 60_000
    /// The mean magnitudes for which the unit is g: from little gravity to 3 g. The mean decides, not one sample.
    private static let standardMagnitudes: ClosedRange<Float> = 0.3...3
    /// The number of samples that decide the unit of a device.
    private static let settlingSamples: Float = 256

    /// Converts raw counts and degrees to SI units. The counter, which sees more of the signal, settles g or m/s².
    private static func settleUnits(of table: inout SampleTable, _ source: DeviceSource?, _ memory: inout DeviceMemory)
    {
        if let scale = source?.accelerationScale { table.acceleration.scale(by: scale) }
        if let scale = source?.angularVelocityScale { table.angularVelocity.scale(by: scale) }
        for sample in table.acceleration.samples where memory.magnitudeCount < settlingSamples {
            let magnitude = (sample.value * sample.value).sum().squareRoot()
            guard magnitude < greatestMagnitude else { continue }
            memory.magnitudeSum += magnitude
            memory.magnitudeCount += 1
        }
        guard source?.accelerationScale == nil, memory.magnitudeCount > 0 else { return }
        let mean = memory.magnitudeSum / memory.magnitudeCount
        let isRaw = mean > rawMagnitude
        if isRaw { table.acceleration.scale(by: 9.806_65 / Self.countsOfAG(mean)) }
        guard source?.angularVelocityScale == nil else { return }
        let degree = Float.pi / 180
        if isRaw { table.angularVelocity.scale(by: degree / 131) }
        if standardMagnitudes.contains(mean) { table.angularVelocity.scale(by: degree) }
    }

    /// The raw counts of 1 g, by the mean magnitude of acceleration in raw counts: a power of two that follows from the sensor's
    /// range, 16,384 at ±2 g and 2,048 at ±16 g; 1 g in milli-g and in cm/s² is near 1,024. The mean is between 7/8 and 7/4 g.
    private static func countsOfAG(_ mean: Float) -> Float {
        Float(sign: .plus, exponent: (mean * 8 / 7).exponent, significand: 1)
    }

    /// The names of a sensor in sketches; its axes are `accx`, `acc_x` or `acc: {x}`, in capitals or not.
    private static let accelerationNames = ["a", "acc", "accel", "acceleration", "accelerometer"]
    private static let angularVelocityNames = ["g", "gyr", "gyro", "gyc", "gyroscope"]
    private static let magneticFieldNames = ["m", "mag", "magnetometer"]

    /// The axes of a sensor under any of its names; `nil` if there are none.
    private static func axes(_ names: [String], in fields: JSONObject) throws(WireError) -> SIMD3<Float>? {
        for name in names {
            if let sensor = fields[name]?.object, let axes = try sensor.lowercased.vector("x", "y", "z") {
                return axes
            }
            for stem in [name, name + "_"] where fields.member(stem + "x") != nil {
                return try fields.vector(stem + "x", stem + "y", stem + "z")
            }
        }
        return nil
    }
}

extension JSONObject {
    /// The object with field names in lower case. If two names become equal, the first field is kept.
    fileprivate var lowercased: JSONObject {
        var object = JSONObject()
        for member in members { try? object.append(member.name.lowercased(), member.value) }
        return object
    }
}

/// The time of a record: UTC if it can be one, else the device's own milliseconds, else none.
private struct RecordTime {
    var clock = SampleTable.Clock.none
    var microseconds: Int64 = 0
    var isKnown: Bool { clock != .none }

    private static let names = ["ts", "timestamp", "time", "t", "millis", "ms", "uptime_ms"]
    /// The maximum distance of a UTC time in s from its arrival, in µs. Other numbers are milliseconds since the start.
    private static let nearMicroseconds: Int64 = 366 * 86_400_000_000

    init(
        _ outer: JSONObject, _ inner: JSONObject, arrival: Int64, _ ownClock: inout OwnClock
    ) throws(WireError) {
        for object in [outer, inner] {
            for name in Self.names {
                guard let json = object[name] else { continue }
                try read(json, arrival: arrival, &ownClock)
                return
            }
        }
    }

    private mutating func read(_ json: JSONValue, arrival: Int64, _ ownClock: inout OwnClock) throws(WireError) {
        if let text = json.string {
            // A local time without its zone, and "N/A" from a clock that is not set yet, are no time.
            guard case .instant(let seconds)? = try? TimePoint(parsing: text) else { return }
            (clock, microseconds) = (.utc, Int64(seconds * 1e6))
            return
        }
        guard let number = json.double else { throw .wrongType }
        guard number >= 0 else { throw .absurdTime }
        let scaled = try DeviceTime.microseconds(number)
        let isUTC = (try? FrameTime.checkedUTC(microseconds: scaled)) != nil
        if isUTC, number >= 1e11 || (scaled - arrival).magnitude < UInt64(Self.nearMicroseconds) {
            (clock, microseconds) = (.utc, scaled)
        } else {
            guard let milliseconds = ownClock.milliseconds(number, arrival: arrival) else { return }
            (clock, microseconds) = (.uptime, try DeviceTime.microseconds(milliseconds: milliseconds))
        }
    }
}

/// The unit of a sketch's own clock, which counts milliseconds since the start, or seconds.
struct OwnClock: Sendable {
    private var first: (number: Double, arrivalMicroseconds: Int64)?
    private var isInSeconds = false

    /// The milliseconds of a number; `nil` as long as it stands still, for which samples are too close in milliseconds. What
    /// advances by less than one, or by as many as seconds have passed, are seconds.
    mutating func milliseconds(_ number: Double, arrival: Int64) -> Double? {
        guard let first, number >= first.number else {
            (first, isInSeconds) = ((number, arrival), false)
            return number
        }
        let (told, passed) = (number - first.number, Double(arrival - first.arrivalMicroseconds) / 1e6)
        let isSlow = told < 1 || (told * 0.7...told * 1.5).contains(passed)
        isInSeconds = isInSeconds || told > 0 && isSlow
        return isInSeconds ? number * 1e3 : told > 0 ? number : nil
    }
}
