public import ArgumentParser
public import Wire

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
    @Option(help: ArgumentHelp("The prototype's low-pass, the share of the last value.", valueName: "0.75…1"))
    var f: Double?
    @Option(help: ArgumentHelp("The factor before the prototype truncates.", valueName: "1…600")) var q: Double?

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
