import MQTT
import StrideClient
import Wire

func forget(_ device: DeviceID, on endpoint: MQTTEndpoint, key: String) async throws {
    let bus = try StrideBus(endpoint: endpoint, key: key)
    let availability = try await Pedometer(bus: bus, device: device).availability()
    if availability.unauthorisedVerbs.contains(.devicesForget) {
        print("this key is not the one to forget with")
    } else {
        print(try await bus.forget(device: device).minutes, "minutes deleted")
    }
    await bus.close()
}
