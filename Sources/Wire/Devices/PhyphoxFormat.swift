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
