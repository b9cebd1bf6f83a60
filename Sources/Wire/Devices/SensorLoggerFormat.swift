/// Sensor Logger, an app for iOS, Android, Apple Watch and AirPods that publishes batches of readings over MQTT.
///
/// `{"messageId":…,"sessionId":…,"deviceId":…,"payload":[{"name":"accelerometer","time":ns,"values":{"x":…}}]}`.
/// Its `accelerometer` lacks gravity, which comes as another sensor and is joined by time. Some sensors come in g or in
/// m/s², by a setting that the message does not show: the counter finds the unit from the signal.
/// Source: T. Choi, awesome-sensor-logger, PUSHING.md and UNITS.md.
enum SensorLoggerFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["payload"]?.array != nil && (object["deviceId"] != nil || object["sessionId"] != nil)
    }

    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        // The app's button "Tap to Test Publish" sends a message without readings.
        guard let readings = object["payload"]?.array else {
            guard object["payload"] == nil, object["messageId"] != nil || object["deviceId"] != nil else {
                throw .wrongType
            }
            return []
        }
        var tracks = Readings()
        let refusals = try MotionContent.refusals(reading: readings) { reading throws(WireError) in
            try tracks.add(reading)
        }
        var table = tracks.table(scale: message.source?.accelerationScale ?? 1)
        var contents = refusals + (try table.contents(of: message, identity: try identity(object), &memory))
        if let steps = tracks.steps, !memory.hasSamples {
            // The app's pedometer counts from the start of the recording.
            let boot = object["sessionId"] == nil ? BootID(rawValue: 0) : try boot(object)
            let count = try DeviceStepCount(
                .recording, steps: steps.count, atMicroseconds: steps.microseconds, boot: boot)
            contents.append(.steps(count))
        }
        if let activity = tracks.activity, !memory.hasSamples { contents.append(activity) }
        for (time, bpm) in tracks.heartRates.sorted(by: { $0.key < $1.key }) {
            contents.append(.reading(.heart, bpm, message, time: .utc(microseconds: time)))
        }
        return contents
    }

    /// A session is taken as a boot, and a message as a frame: "messages can be received out of order".
    private static func identity(_ object: JSONObject) throws(WireError) -> FrameIdentity? {
        guard let number = object["messageId"], object["sessionId"] != nil else { return nil }
        return .sequenced(boot: try boot(object), sequence: try number.count())
    }

    private static func boot(_ object: JSONObject) throws(WireError) -> BootID {
        var hash = StableHash()
        hash.combine(try object.value("sessionId").text().utf8)
        return BootID(rawValue: hash.value)
    }
}

/// The readings of one message by sensor.
private struct Readings {
    /// The samples by the app's name of their sensor, for `worn` and `worn rotation` of a watch or earbuds.
    private var tracks: [String: SampleTrack] = [:]
    private var pressures: [Float] = []
    private(set) var steps: (count: UInt64, microseconds: Int64)?
    private(set) var activity: MotionContent?
    /// Beats a minute of a watch, by their time in microseconds since 1970.
    private(set) var heartRates: [Int64: Double] = [:]

    mutating func add(_ json: JSONValue) throws(WireError) {
        guard let reading = json.object, let values = reading["values"]?.object else { return }
        let name = try reading.value("name").text()
        guard let time = try reading.microseconds("time"),
            case .utc(let microseconds) = try FrameTime.checkedUTC(microseconds: time)
        else { throw .wrongType }
        switch name {
        case "accelerometer", "gravity", "totalacceleration", "accelerometeruncalibrated", "gyroscope", "magnetometer":
            try append(try values.vector("x", "y", "z"), to: name, microseconds)
        case "wrist motion", "headphone":
            // User acceleration and gravity come in one reading, in one unit.
            if let user = try values.vector("accelerationX", "accelerationY", "accelerationZ") {
                let gravity = try values.vector("gravityX", "gravityY", "gravityZ")
                try append(user + (gravity ?? .zero), to: "worn", microseconds)
            }
            try append(
                try values.vector("rotationRateX", "rotationRateY", "rotationRateZ"), to: "worn rotation", microseconds)
        case "barometer":
            if let pressure = try values["pressure"]?.sample() { pressures.append(pressure) }
        case "pedometer":
            let count = try values.value("steps").count()
            if count >= steps?.count ?? 0 { steps = (count, microseconds) }
        case "heart rate":
            let bpm = try values.anyNumber(values["bpm"] == nil ? "heartRate" : "bpm")
            if let bpm { heartRates[microseconds] = bpm }
        case "activity":
            // Tilting has no counterpart here, and an unknown activity has no information.
            let word = values["activity"]?.string
            guard let kind = ActivityKind.allCases.first(where: { $0.name == word }), kind != .unknown else { return }
            let confidence = values["confidence"]?.string.flatMap { ActivityConfidence(rawValue: $0) } ?? .low
            activity = .activity(kind, confidence, atMicroseconds: microseconds)
        default: break
        }
    }

    private mutating func append(_ value: SIMD3<Float>?, to name: String, _ time: Int64) throws(WireError) {
        guard let value else { return }
        try tracks[name, default: SampleTrack()].append(value, atMicroseconds: time)
    }

    /// The first of these tracks that has samples.
    private func track(_ names: String...) -> SampleTrack {
        names.lazy.compactMap { tracks[$0] }.first ?? SampleTrack()
    }

    /// The readings as a table, with the best acceleration available: with gravity if possible.
    ///
    /// - Parameter scale: The factor of readings that come in g or in m/s².
    func table(scale: Float) -> SampleTable {
        var table = SampleTable()
        if let total = tracks["totalacceleration"] {
            table.acceleration = total
        } else if let user = tracks["accelerometer"] {
            var gravity = track("gravity")
            gravity.sort()
            table.acceleration = user
            table.acceleration.sort()
            table.acceleration.add(gravity)
            table.isGravityRemoved = gravity.isEmpty
        } else {
            table.acceleration = track("accelerometeruncalibrated", "worn")
            if scale != 1 { table.acceleration.scale(by: scale) }
        }
        table.angularVelocity = track("gyroscope", "worn rotation")
        table.magneticField = track("magnetometer")
        table.pressuresHectopascals = pressures
        return table
    }
}

/// phyphox, an app for experiments: `{"x":[…],"y":[…],"z":[…],"t":[…],"time":{"now":…,"events":[…]}}`.
///
/// The experiment defines the field names. `x`, `y` and `z` (m/s², with gravity) and `t` (s since the start of the
/// experiment) are read, each a list or one number. The absolute time of a sample follows from the last START before
/// it. Source: RWTH Aachen, phyphox-android, MqttJson.java.
enum PhyphoxFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["x"] != nil && object["y"] != nil && object["z"] != nil
            && (object["t"] != nil || object["time"]?.object != nil)
    }

    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        let axes = [
            try list(object.value("x")), try list(object.value("y")), try list(object.value("z")),
        ]
        guard axes.allSatisfy({ $0.count == axes[0].count }) else { throw .unevenSensors }
        let times = try object["t"].map { json throws(WireError) in try list(json) } ?? []
        guard times.count == axes[0].count || (times.isEmpty && axes[0].count == 1) else {
            throw times.isEmpty ? .absurdRate : .unevenSensors
        }
        let clock = try ExperimentClock(object["time"]?.object, lastSeconds: times.last?.double)
        var table = SampleTable()
        table.clock = clock.isKnown ? .utc : .none
        let refusals = try MotionContent.refusals(reading: axes[0].indices) { index throws(WireError) in
            guard let x = try axes[0][index].sample(), let y = try axes[1][index].sample(),
                let z = try axes[2][index].sample()
            else { return }
            let seconds = times.isEmpty ? 0 : try times[index].number(in: PayloadLimits.durationSeconds)
            try table.acceleration.append(SIMD3(x, y, z), atMicroseconds: try clock.microseconds(at: seconds))
        }
        let hasTime = clock.isKnown || !times.isEmpty
        return try refusals + table.contents(of: message, identity: hasTime ? nil : message.arrivalIdentity, &memory)
    }

    private static func list(_ json: JSONValue) throws(WireError) -> [JSONValue] {
        if let list = json.array { return list }
        guard json.double != nil else { throw .wrongType }
        return [json]
    }
}

/// The starts of an experiment, in its own time and in system time.
private struct ExperimentClock {
    private var starts: [(experimentSeconds: Double, systemSeconds: Double)] = []

    /// Without events, the message's own time stands for its last sample.
    init(_ time: JSONObject?, lastSeconds: Double?) throws(WireError) {
        for event in time?["events"]?.array ?? [] {
            guard let event = event.object, event["event"]?.string == "START" else { continue }
            let seconds = try event.value("experimentTime").number(in: PayloadLimits.durationSeconds)
            starts.append((seconds, try event.value("systemTime").timeSeconds()))
        }
        starts.sort { $0.experimentSeconds < $1.experimentSeconds }
        guard starts.isEmpty, let now = time?["now"] else { return }
        starts = [(lastSeconds ?? 0, try now.timeSeconds())]
    }

    var isKnown: Bool { !starts.isEmpty }

    func microseconds(at seconds: Double) throws(WireError) -> Int64 {
        let start = starts.last { $0.experimentSeconds <= seconds } ?? starts.first ?? (0, 0)
        let time = (start.systemSeconds + seconds - start.experimentSeconds) * 1e6
        guard abs(time) < 1e18 else { throw .absurdTime }
        return Int64(time.rounded())
    }
}
