import MQTT
import StrideClient
import Wire

func openPedometer() throws -> Pedometer {
    let bus = try StrideBus(endpoint: MQTTEndpoint("mqtt://localhost"))
    return Pedometer(bus: bus, device: try DeviceID("watch-3"))
}
