internal import ServiceKit
internal import MQTT
internal import Wire

/// The two connections: one that reads, which publishes nothing, so that acknowledgements wait for the commit; and one
/// that publishes, whose last will is the service's.
extension IngestConfiguration {
    /// The largest packet that the broker may send us over MQTT 5, in bytes: eight times the largest frame, so that an
    /// ordinary mistake still arrives and is counted.
    static let maximumPacketBytes: UInt32 = 2_097_152

    /// A name that no other root shares: a root has no dots.
    private var clientID: String { "stridebus-ingest-" + bus.topics.root.replacing("/", with: ".") }

    var consumer: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: clientID, version: bus.version,
            sessionExpirySeconds: sessionExpirySeconds, maximumPacketBytes: Self.maximumPacketBytes)
    }

    var producer: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: clientID + "-out", version: bus.version, will: status("offline"))
    }

    var subscriptions: [MQTTSubscription] {
        DeviceChannel.ingested.map { MQTTSubscription(bus.topics.filter(every: $0)) }
    }

    func status(_ word: String) -> MQTTPublication {
        MQTTPublication(topic: bus.topics.bytes(.serviceStatus(.ingest)), payload: Array(word.utf8), retain: true)
    }
}
