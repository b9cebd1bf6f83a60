import MQTT
import StrideClient
import Wire

func forget(_ device: DeviceID, on endpoint: MQTTEndpoint) async throws {
    let bus = try StrideBus(endpoint: endpoint)
    let availability = try await Pedometer(bus: bus, device: device).availability()
    if availability.unauthorisedVerbs.contains(.devicesForget) {
        print("this user may not forget devices")
    } else {
        print(try await bus.forget(device: device).minutes, "minutes deleted")
    }
    await bus.close()
}
