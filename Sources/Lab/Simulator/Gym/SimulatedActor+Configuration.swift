public import Wire

extension SimulatedActor {
    /// What a device that this actor carries says of itself: what it is, and where it sits.
    public var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = kind == .bike ? .bike : .wearable
        configuration.placement = placement.sensor
        return configuration
    }
}
