public import ArgumentParser
public import Wire

extension DeviceKind: ExpressibleByArgument {}
extension SensorPlacement: ExpressibleByArgument {}
extension EstimatorKind: ExpressibleByArgument {}
extension PrototypeConfig.Sensor: ExpressibleByArgument {}
extension PrototypeConfig.Axis: ExpressibleByArgument {}

/// The settings of a device, as its config has them.
struct DeviceOptions: ParsableArguments {
    @Option(help: "What the sensor is on: bike, wearable or unknown.")
    var kind: DeviceKind = .unknown

    @Option(help: "Where the sensor is.")
    var placement: SensorPlacement = .unknown

    @Option(help: "Which counter works on the signal: periodic, or prototype with the four options below.")
    var estimator: EstimatorKind = .periodic

    @Option(help: "The prototype's sensor.")
    var sensor: PrototypeConfig.Sensor?

    @Option(help: "The prototype's axis.")
    var axis: PrototypeConfig.Axis?

    @Option(help: ArgumentHelp("The prototype's low-pass, the share of the last value.", valueName: "0.75…1"))
    var f: Double?

    @Option(help: ArgumentHelp("The factor before the prototype truncates.", valueName: "1…600"))
    var q: Double?

    func validate() throws {
        guard estimator == .prototype else { return }
        guard sensor != nil, axis != nil, let f, (0.75...1).contains(f), let q, (1...600).contains(q) else {
            throw ValidationError(
                "the prototype needs --sensor acc|gyro|mag, --axis x|y|z, --f from 0.75 to 1 and --q from 1 to 600")
        }
    }

    var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = kind
        configuration.placement = placement
        configuration.estimator = estimator
        if estimator == .prototype, let sensor, let axis, let f, let q {
            configuration.prototype = PrototypeConfig(sensor: sensor, axis: axis, f: f, q: q)
        }
        return configuration
    }
}
