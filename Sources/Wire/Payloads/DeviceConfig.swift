/// What a device is.
public enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    /// A gym bike: revolutions are counted.
    case bike
    /// A phone or a watch on a person: steps are counted.
    case wearable
    /// Not said: what it does is recognised.
    case unknown
}

/// Which counter works on a device's signal.
public enum EstimatorKind: String, Sendable, Hashable, CaseIterable {
    /// The periodic-signal counter, the default.
    case periodic
    /// The rule of the seed prototype, for tuning a new bike.
    case prototype
}

/// The settings of the seed prototype's rule: fields beside the others of a device's config.
public struct PrototypeConfig: JSONPayload, Hashable {
    /// `acc`, `gyro` or `mag`.
    public var sensor: String
    /// `x`, `y` or `z`.
    public var axis: String
    /// The low-pass filter's share of the last value, 0.75 … 1.
    public var f: Double
    /// The factor before truncation, 1 … 600.
    public var q: Double

    /// Settings from their parts.
    public init(sensor: String, axis: String, f: Double, q: Double) {
        self.sensor = sensor
        self.axis = axis
        self.f = f
        self.q = q
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        sensor = try object.word("sensor", of: ["acc", "gyro", "mag"])
        axis = try object.word("axis", of: ["x", "y", "z"])
        f = try object.double("f", in: 0.75...1)
        q = try object.double("q", in: 1...600)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("sensor", sensor)
        writer.field("axis", axis)
        writer.field("f", f, decimals: 6)
        writer.field("q", q, decimals: 6)
    }
}

/// `{device}/config`: what the operator says about a device. Everything has a default.
public struct DeviceConfig: JSONPayload, Hashable {
    /// What it is.
    public var kind: DeviceKind = .unknown
    /// Where its sensor is, one of `placements`.
    public var placement: String = "unknown"
    /// The IANA name of its time zone; the service's own without it.
    public var zone: String?
    /// When its day starts, in minutes after local midnight: `"day_start": "04:00"` is 240.
    public var dayStartMinutes: Int = 0
    /// Metres of one stride (two steps).
    public var metresPerStride: Double?
    /// The height of who wears it, in metres: the length of a step follows from it where no stride was measured.
    public var heightMetres: Double?
    /// Metres of one crank revolution.
    public var metresPerRevolution: Double?
    /// Whose it is.
    public var person: String?
    /// Which counter works on its signal.
    public var estimator: EstimatorKind = .periodic
    /// The settings of the prototype's rule, where `estimator` is `prototype`.
    public var prototype: PrototypeConfig?

    /// The words for a placement.
    public static let placements = [
        "wrist", "hand", "pocket", "bag", "hip", "back", "thigh", "ankle", "foot", "frame", "crank", "unknown",
    ]

    /// The configuration of a device without one.
    public init() {}

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        if object["kind"] != nil {
            guard let kind = DeviceKind(rawValue: try object.string("kind")) else { throw .outOfRange }
            self.kind = kind
        }
        if object["placement"] != nil { placement = try object.word("placement", of: Self.placements) }
        zone = try object.optionalString("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        if let text = try object.optionalString("day_start") { dayStartMinutes = try Self.minutes(text) }
        metresPerStride = try object.optionalDouble("metres_per_stride", in: 0.1...5)
        heightMetres = try object.optionalDouble("height_m", in: 0.5...2.5)
        metresPerRevolution = try object.optionalDouble("metres_per_revolution", in: 0.1...50)
        person = try object.optionalString("person", maximumBytes: PayloadLimits.maximumTextBytes)
        if object["estimator"] != nil {
            guard let estimator = EstimatorKind(rawValue: try object.string("estimator")) else { throw .outOfRange }
            self.estimator = estimator
        }
        if estimator == .prototype { prototype = try PrototypeConfig(object: object) }
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("kind", kind.rawValue)
        writer.field("placement", placement)
        writer.field("zone", zone)
        writer.field("day_start", Self.text(minutes: dayStartMinutes))
        writer.field("metres_per_stride", metresPerStride, decimals: 4)
        writer.field("height_m", heightMetres, decimals: 3)
        writer.field("metres_per_revolution", metresPerRevolution, decimals: 4)
        writer.field("person", person)
        writer.field("estimator", estimator.rawValue)
        prototype?.writeFields(to: &writer)
    }

    /// `hh:mm`
    private static func text(minutes: Int) -> String {
        let hour = minutes / 60
        let minute = minutes % 60
        return (hour < 10 ? "0\(hour)" : "\(hour)") + (minute < 10 ? ":0\(minute)" : ":\(minute)")
    }

    private static func minutes(_ text: String) throws(WireError) -> Int {
        var reader = ISOReader(text)
        let seconds = try reader.secondsOfDay()
        guard reader.isAtEnd, seconds % 60 == 0 else { throw .malformed }
        return seconds / 60
    }
}

extension JSONObject {
    /// One of some words.
    func word(_ name: String, of words: [String]) throws(WireError) -> String {
        let word = try string(name)
        guard words.contains(word) else { throw .outOfRange }
        return word
    }
}
