/// `{device}/config`: the operator's settings for a device. Every field has a default.
public struct DeviceConfig: FieldPayload, Hashable {
    /// The kind of device.
    public var kind = DeviceKind.unknown
    /// The placement of its sensor.
    public var placement = SensorPlacement.unknown
    /// The IANA name of its time zone; by default the service's own.
    public var zone: String?
    /// The start of its day, in minutes after local midnight: `"day_start": "04:00"` is 240.
    public var dayStartMinutes = 0
    /// The length of one stride (two steps), in metres.
    public var metresPerStride: Double?
    /// The height of its wearer, in metres. The length of a step follows from it if no stride was measured.
    public var heightMetres: Double?
    /// The distance of one crank revolution, in metres.
    public var metresPerRevolution: Double?
    /// The person it belongs to.
    public var person: String?
    /// The counting method for its signal.
    public var estimator = EstimatorKind.periodic
    /// The settings of the prototype's rule, if `estimator` is `prototype`.
    public var prototype: PrototypeConfig?

    /// The defaults, as for a device without a configuration.
    public init() {}

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("kind", &kind, .word, default: .unknown)
        try list.field("placement", &placement, .word, default: .unknown)
        try list.field("zone", &zone, .zone)
        try list.field("day_start", &dayStartMinutes, .timeOfDay, default: 0)
        try list.field("metres_per_stride", &metresPerStride, .number(in: 0.1...5, decimals: 4))
        try list.field("height_m", &heightMetres, .number(in: 0.5...2.5, decimals: 3))
        try list.field("metres_per_revolution", &metresPerRevolution, .number(in: 0.1...50, decimals: 4))
        try list.field("person", &person, .name)
        try list.field("estimator", &estimator, .word, default: .periodic)
        guard estimator == .prototype || prototype != nil else { return }
        var settings = prototype ?? PrototypeConfig()
        try settings.fields(&list)
        prototype = settings
    }
}

/// The kinds of device.
public enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    /// A gym bike: revolutions are counted.
    case bike
    /// A phone or a watch on a person: steps are counted.
    case wearable
    /// Not set: the kind of movement is recognised.
    case unknown
}

/// The placement of a device's sensor.
public enum SensorPlacement: String, Sendable, Hashable, CaseIterable {
    /// On the wrist.
    case wrist
    /// Held in the hand, or on a swinging or strapped arm.
    case hand
    /// In a trouser or jacket pocket.
    case pocket
    /// In a bag, purse or pouch.
    case bag
    /// On the hip or belt.
    case hip
    /// On the back, or elsewhere on the trunk.
    case back
    /// On the thigh.
    case thigh
    /// On the ankle or shin.
    case ankle
    /// On the foot or shoe.
    case foot
    /// On a bike's frame.
    case frame
    /// On a bike's crank or pedal.
    case crank
    /// Not set, or none of these.
    case unknown
}

/// The counting methods for a device's signal.
public enum EstimatorKind: String, Sendable, Hashable, CaseIterable {
    /// The method for periodic signals, the default.
    case periodic
    /// Another name of `periodic`, for a device on a person.
    case fitted
    /// The rule of the seed prototype, for tuning a new bike.
    case prototype
}

/// The settings of the seed prototype's rule: fields beside the others of a device's config.
public struct PrototypeConfig: FieldPayload, Hashable {
    /// A sensor by the name of its field in a frame.
    public enum Sensor: String, Sendable, Hashable, CaseIterable {
        /// Acceleration.
        case acceleration = "acc"
        /// Angular velocity.
        case angularVelocity = "gyro"
        /// Magnetic field.
        case magneticField = "mag"
    }

    /// An axis of a sensor.
    public enum Axis: String, Sendable, Hashable, CaseIterable {
        /// The first of three.
        case x
        /// The second of three.
        case y
        /// The third of three.
        case z
    }

    /// The sensor that is counted.
    public var sensor = Sensor.acceleration
    /// The axis of that sensor.
    public var axis = Axis.x
    /// The low-pass filter's share of the last value, 0.75 … 1.
    public var f = 1.0
    /// The factor before truncation, 1 … 600.
    public var q = 1.0

    /// Default settings, to be filled by reading.
    public init() {}

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("sensor", &sensor, .word)
        try list.field("axis", &axis, .word)
        try list.field("f", &f, .number(in: 0.75...1, decimals: 6))
        try list.field("q", &q, .number(in: 1...600, decimals: 6))
    }
}

extension FieldForm<Int> {
    /// `hh:mm` as minutes after midnight.
    fileprivate static var timeOfDay: Self {
        Self { json throws(WireError) in
            var reader = ISOReader(try json.text())
            let seconds = try reader.secondsOfDay()
            guard reader.isAtEnd, seconds % 60 == 0 else { throw .malformed }
            return seconds / 60
        } write: { writer, minutes in
            writer.value("\(CivilDate.padded(minutes / 60, 2)):\(CivilDate.padded(minutes % 60, 2))")
        }
    }
}

/// Errors of a config, for the operator who wrote it.
extension DeviceConfig {
    /// The values that each field may have.
    private static let expectations: KeyValuePairs<String, String> = [
        "kind": "bike, wearable or unknown",
        "placement": SensorPlacement.allCases.map(\.rawValue).joined(separator: ", "),
        "zone": "the IANA name of a time zone, such as Europe/Berlin",
        "day_start": "a time of day, such as 04:00",
        "metres_per_stride": "0.1 to 5 metres",
        "height_m": "0.5 to 2.5 metres",
        "metres_per_revolution": "0.1 to 50 metres",
        "person":
            "a name of at most \(PayloadLimits.maximumTextBytes) bytes, without line breaks or other characters that are not seen",
        "estimator": "periodic, fitted or prototype",
        "sensor": "acc, gyro or mag",
        "axis": "x, y or z",
        "f": "0.75 to 1",
        "q": "1 to 600",
    ]

    /// The maximum number of characters quoted from a wrong value.
    private static let quotedCharacters = 40

    /// The first error of a config, with the field and its valid values; `nil` if the config can be read.
    /// - Parameter allowsUnknown: True if unknown fields are ignored, as readers do.
    package static func problem(in json: UnsafeRawBufferPointer, allowsUnknown: Bool = true) -> String? {
        guard json.count <= maximumBytes else { return "more than \(maximumBytes) bytes" }
        guard let value = try? document(json) else {
            return "not JSON, cut short, or a field twice: check its syntax"
        }
        guard let object = value.object else { return "no JSON object: send {\"kind\":\"bike\"} or alike" }
        return problem(in: object, allowsUnknown: allowsUnknown)
    }

    /// The first error of a config that is a JSON object; `nil` if it can be read.
    package static func problem(in object: JSONObject, allowsUnknown: Bool = true) -> String? {
        let unknown = object.members.first { $0.value != .null && expectation(of: $0.name) == nil }
        if let unknown, !allowsUnknown {
            let names = expectations.map(\.key).joined(separator: ", ")
            return "there is no '\(quoted(unknown.name))': there are \(names)"
        }
        // Settings of a prototype must be right where they are not used, too.
        let unused = PrototypeConfig.wrongFields(in: object).filter { object[$0] != nil }
        guard let name = (wrongFields(in: object) + unused).first else { return nil }
        let expected = expectation(of: name) ?? ""
        guard let value = object[name] else { return "the prototype needs '\(name)': give \(expected)" }
        return "'\(name)' is \(quoted(value)): give \(expected)"
    }

    private static func expectation(of name: String) -> String? { expectations.first { $0.key == name }?.value }

    private static func quoted(_ value: JSONValue) -> String {
        quoted(String(decoding: value.encodedJSON(), as: UTF8.self))
    }

    private static func quoted(_ text: String) -> String {
        text.count <= quotedCharacters ? text : text.prefix(quotedCharacters) + "…"
    }
}
