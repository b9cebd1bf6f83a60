import MQTT
import StrideClient

func connect(to endpoint: MQTTEndpoint) async throws -> StrideBus {
    let bus = try StrideBus(endpoint: endpoint, root: "gym/berlin", version: .v5, name: "lobby-1", timeoutSeconds: 10)
    for await state in bus.connectionStates {
        switch state {
        case .connected: return bus
        case .connecting: print("connecting")
        case .disconnected(let error): print("trying again:", error.message)
        case .failed(let error): throw error
        case .stopped: throw StrideClientError.closed
        }
    }
    throw StrideClientError.closed
}
