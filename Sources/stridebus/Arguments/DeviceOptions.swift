public import ArgumentParser
public import Wire

extension DeviceKind: ExpressibleByArgument {}

/// What a device's config would say about it.
struct DeviceOptions: ParsableArguments {
    @Option(help: "What the sensor is on: bike, wearable or unknown.")
    var kind: DeviceKind = .unknown

    @Option(help: ArgumentHelp("Where it sits: \(DeviceConfig.placements.joined(separator: ", "))."))
    var placement: String = "unknown"

    func validate() throws {
        guard DeviceConfig.placements.contains(placement) else {
            throw ValidationError(
                "there is no placement '\(placement)': use one of \(DeviceConfig.placements.joined(separator: ", "))")
        }
    }

    /// The options as a device's config.
    var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = kind
        configuration.placement = placement
        return configuration
    }
}
