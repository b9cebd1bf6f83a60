internal import Logging
internal import MQTT

/// A line for every change of a connection, and none in between.
extension Logger {
    func log(_ state: MQTTConnectionState, of purpose: String) {
        switch state {
        case .connecting: debug("connecting for \(purpose) the broker")
        case .connected: info("\(purpose) the broker")
        case .disconnected(let error): warning("not \(purpose) the broker, trying again: \(error.message)")
        case .failed(let error): self.error("not \(purpose) the broker, giving up: \(error.message)")
        case .stopped: debug("stopped \(purpose) the broker")
        }
    }

}
