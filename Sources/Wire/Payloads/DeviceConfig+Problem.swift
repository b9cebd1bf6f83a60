/// What is wrong with a config, for the operator who wrote it.
extension DeviceConfig {
    /// What each field may be.
    private static let expectations: KeyValuePairs<String, String> = [
        "kind": "bike, wearable or unknown",
        "placement": SensorPlacement.allCases.map(\.rawValue).joined(separator: ", "),
        "zone": "the IANA name of a time zone, such as Europe/Berlin",
        "day_start": "a time of day, such as 04:00",
        "metres_per_stride": "0.1 to 5 metres",
        "height_m": "0.5 to 2.5 metres",
        "metres_per_revolution": "0.1 to 50 metres",
        "person": "a name of at most \(PayloadLimits.maximumTextBytes) bytes",
        "estimator": "periodic or prototype",
        "sensor": "acc, gyro or mag",
        "axis": "x, y or z",
        "f": "0.75 to 1",
        "q": "1 to 600",
    ]

    /// The most characters of a wrong value that are quoted.
    private static let quotedCharacters = 40

    /// Says what is wrong with a config, naming the field and what it may be; `nil` where it can be read.
    /// - Parameter allowsUnknown: Whether fields that there are not are passed over, as readers do.
    public static func problem(in json: UnsafeRawBufferPointer, allowsUnknown: Bool = true) -> String? {
        guard json.count <= maximumBytes else { return "more than \(maximumBytes) bytes" }
        guard let value = try? JSONValue(parsing: json, maximumBytes: maximumBytes) else {
            return "not JSON, cut short, or a field twice: check its syntax"
        }
        guard let object = value.object else { return "no JSON object: send {\"kind\":\"bike\"} or alike" }
        return problem(in: object, allowsUnknown: allowsUnknown)
    }

    /// Says what is wrong with a config that is JSON; `nil` where it can be read.
    public static func problem(in object: JSONObject, allowsUnknown: Bool = true) -> String? {
        for member in object.members where member.value != .null {
            guard let expected = expectations.first(where: { $0.key == member.name })?.value else {
                if allowsUnknown { continue }
                let names = expectations.map(\.key).joined(separator: ", ")
                return "there is no '\(quoted(member.name))': there are \(names)"
            }
            if !isReadable(member) { return "'\(member.name)' is \(quoted(member.value)): give \(expected)" }
        }
        guard (try? DeviceConfig(value: .object(object))) == nil else { return nil }
        let missing = ["sensor", "axis", "f", "q"].first { object[$0] == nil } ?? "sensor"
        let expected = expectations.first { $0.key == missing }?.value ?? ""
        return "the prototype needs '\(missing)': give \(expected)"
    }

    /// Whether a field can be read among others that can.
    private static func isReadable(_ member: JSONObject.Member) -> Bool {
        var object = JSONObject()
        let others: [(String, JSONValue)] = [
            ("estimator", .string("prototype")), ("sensor", .string("gyro")), ("axis", .string("z")),
            ("f", .number(0.9)),
            ("q", .number(100)),
        ]
        do throws(WireError) {
            for (name, value) in others where name != member.name { try object.append(name, value) }
            try object.append(member.name, member.value)
            _ = try DeviceConfig(value: .object(object))
            return true
        } catch {
            return false
        }
    }

    private static func quoted(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return quoted(String(decoding: writer.bytes, as: UTF8.self))
    }

    private static func quoted(_ text: String) -> String {
        text.count <= quotedCharacters ? text : text.prefix(quotedCharacters) + "…"
    }
}
