import MQTT

func tellTrouble(of producer: MQTTProducer, at endpoint: MQTTEndpoint) async {
    for await state in producer.events {
        guard case .disconnected(let error) = state else { continue }
        let place = "\(endpoint.host):\(endpoint.port)"
        switch error.code {
        case .hostNotFound, .unreachable, .connectTimeout: print("nobody is at", place)
        case .connectionLost, .keepAliveTimeout, .serverUnavailable, .noProgress: print(place, "was there, and is away")
        case .badCredentials, .notAuthorized, .clientIDRejected, .refused:
            print("not as", endpoint.username ?? "nobody")
        case .tls: print("no trust in", endpoint.tls?.caFile ?? "the system's authorities")
        case .sessionTakenOver: print("another one has this client id")
        case .unsupportedVersion, .protocolViolation: print("another version, reason", error.reasonCode ?? 0)
        case .subscriptionRefused, .noSubscribers: print("nobody may, or does, listen there")
        case .payloadTooLarge: print("split it")
        case .batchHeldTooLong, .batchAbandoned: print("a batch was not acknowledged in time, and comes again")
        case .invalidEndpoint, .invalidConfiguration, .invalidTopic: print("change it:", error.message)
        case .systemResources, .library: print("this machine is short of something:", error.description)
        case .stopped: print("stopped here")
        }
    }
}
