import StrideClient
import Wire

func setUp(_ bike: DeviceID, on bus: StrideBus) async throws {
    var config = DeviceConfig()
    (config.kind, config.placement) = (.bike, .crank)
    config.metresPerRevolution = 5.1
    do {
        try await bus.configure(bike, as: config)
    } catch StrideClientError.refused(let error) {
        print(error.message)
    }
}
