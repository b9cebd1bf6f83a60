public import ArgumentParser
public import Wire

extension DeviceKind: ExpressibleByArgument {}
extension EstimatorKind: ExpressibleByArgument {}

/// What a device's config would say about it.
struct DeviceOptions: ParsableArguments {
    @Option(help: "What the sensor is on: bike, wearable or unknown.")
    var kind: DeviceKind = .unknown

    @Option(help: ArgumentHelp("Where it sits: \(DeviceConfig.placements.joined(separator: ", "))."))
    var placement: String = "unknown"

    @Option(help: "Which counter works on the signal: periodic, or prototype with the four options below.")
    var estimator: EstimatorKind = .periodic

    @Option(help: "The prototype's sensor: acc, gyro or mag.")
    var sensor: String?

    @Option(help: "The prototype's axis: x, y or z.")
    var axis: String?

    @Option(help: ArgumentHelp("The prototype's low-pass, the share of the last value.", valueName: "0.75…1"))
    var f: Double?

    @Option(help: ArgumentHelp("The factor before the prototype truncates.", valueName: "1…600"))
    var q: Double?

    func validate() throws {
        guard DeviceConfig.placements.contains(placement) else {
            throw ValidationError(
                "there is no placement '\(placement)': use one of \(DeviceConfig.placements.joined(separator: ", "))")
        }
        guard estimator == .prototype else { return }
        guard let sensor, ["acc", "gyro", "mag"].contains(sensor), let axis, ["x", "y", "z"].contains(axis),
            let f, (0.75...1).contains(f), let q, (1...600).contains(q)
        else {
            throw ValidationError(
                "the prototype needs --sensor acc|gyro|mag, --axis x|y|z, --f from 0.75 to 1 and --q from 1 to 600")
        }
    }

    /// The options as a device's config.
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
