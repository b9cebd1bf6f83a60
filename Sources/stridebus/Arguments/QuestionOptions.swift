public import ArgumentParser
public import Wire

extension TimePoint {
    /// A date, an instant, or seconds since 1970.
    init(argument: String) throws {
        let seconds = Double(argument)
        if let seconds, PayloadLimits.timeSeconds.contains(seconds) {
            self = .instant(seconds: seconds)
        } else if seconds == nil, let time = try? TimePoint(parsing: argument) {
            self = time
        } else {
            throw ValidationError("give 2026-11-20, 2026-11-20T17:00:00+01:00, or seconds since 1970")
        }
    }
}

extension Double {
    /// A number; JSON has no other ones.
    static func finite(argument: String) throws -> Double {
        guard let number = Double(argument), number.isFinite else { throw ValidationError("give a number") }
        return number
    }
}

/// A stretch of time, by a calendar.
struct TimeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The first instant or date.", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(help: ArgumentHelp("The end, not included.", valueName: "time"), transform: TimePoint.init(argument:))
    var to: TimePoint?

    @Option(
        help: ArgumentHelp(
            "The zone of dates and days, such as Europe/Berlin (default: the device's).", valueName: "zone"))
    var zone: String?

    var isEmpty: Bool { from == nil && to == nil && zone == nil }

    /// A question about it.
    func request(_ verb: RequestVerb, of device: DeviceID? = nil) -> HistoryRequest {
        HistoryRequest(verb: verb, device: device, from: from, to: to, zone: zone)
    }
}

/// A device, or a person with all devices.
struct SubjectOptions: ParsableArguments {
    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person, with all devices: each minute from one of them.")
    var person: String?

    func requireOne() throws {
        guard (device == nil) != (person == nil) else {
            throw ValidationError("say whose: give --device or --person")
        }
    }
}

extension Bucket: ExpressibleByArgument {}
extension DeviceKind: ExpressibleByArgument {}
extension WeekStart: ExpressibleByArgument {}
extension SensorPlacement: ExpressibleByArgument {}
extension EstimatorKind: ExpressibleByArgument {}
extension PrototypeConfig.Sensor: ExpressibleByArgument {}
extension PrototypeConfig.Axis: ExpressibleByArgument {}

/// What a device is and how it is counted, as its config has it.
struct DeviceOptions: ParsableArguments {
    @Option(help: "What the sensor is on: bike, wearable or unknown.") var kind: DeviceKind?
    @Option(help: "Where the sensor is.") var placement: SensorPlacement?
    @Option(help: "Which counter works on the signal: periodic, or prototype with the four options below.")
    var estimator: EstimatorKind?
    @Option(help: "The prototype's sensor.") var sensor: PrototypeConfig.Sensor?
    @Option(help: "The prototype's axis.") var axis: PrototypeConfig.Axis?
    @Option(
        help: ArgumentHelp("The prototype's low-pass, the share of the last value.", valueName: "0.75…1"),
        transform: Double.finite(argument:))
    var f: Double?
    @Option(
        help: ArgumentHelp("The factor before the prototype truncates.", valueName: "1…600"),
        transform: Double.finite(argument:))
    var q: Double?

    /// The fields of a config, by their names; no value where one is not given.
    var fields: [(name: String, value: JSONValue?)] {
        func text(_ word: (some RawRepresentable<String>)?) -> JSONValue? { word.map { .string($0.rawValue) } }
        return [
            ("kind", text(kind)), ("placement", text(placement)), ("estimator", text(estimator)),
            ("sensor", text(sensor)), ("axis", text(axis)), ("f", f.map { .number($0) }), ("q", q.map { .number($0) }),
        ]
    }

    /// The config of a device of which nothing else is known.
    func configuration() throws -> DeviceConfig {
        var object = JSONObject()
        for case (let name, let value?) in fields { try object.set(name, to: value) }
        if let problem = DeviceConfig.problem(in: object) { throw ValidationError(problem) }
        return try DeviceConfig(value: .object(object))
    }
}
