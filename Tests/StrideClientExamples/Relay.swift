import MQTT

func relay(from site: MQTTEndpoint, to center: MQTTEndpoint) async throws {
    var reading = MQTTConnectionConfiguration(endpoint: site, clientID: "relay-in", sessionExpirySeconds: 86_400)
    reading.version = .v5
    reading.keepAliveSeconds = 10
    reading.receiveMaximum = 500
    reading.maximumPacketBytes = 1_048_576
    var sending = MQTTConnectionConfiguration(endpoint: center, clientID: "relay-out", version: .v311)
    sending.endpoint.tls = MQTTTLS(caFile: "center.pem", certificateFile: "relay.pem", keyFile: "relay.key")
    sending.will = MQTTPublication(topic: "relay/status", payload: Array("offline".utf8), retain: true)
    sending.backoff = MQTTBackoff(minimumSeconds: 1, maximumSeconds: 60)
    sending.connectTimeoutSeconds = 20
    let producer = MQTTProducer(
        configuration: sending,
        limits: MQTTProducerLimits(
            maximumQueuedMessages: 1_000, maximumQueuedBytes: 4_194_304, maximumInFlight: 50, stopSeconds: 2))
    if sending.endpoint.password == nil { print("the relay logs in without a password") }
    let all = MQTTSubscription("site/#", qos: .atLeastOnce)
    let consumer = MQTTConsumer(
        configuration: reading, subscriptions: [all],
        limits: MQTTBatchLimits(
            maximumMessages: 500, maximumBytes: 1_048_576, spacingMilliseconds: 50, spacingBytes: 16_384,
            maximumHoldSeconds: 30))
    for try await batch in consumer.batches {
        if let session = batch.connection, !session.sessionPresent {
            print("what came to", all.filter, "before connection", session.connectionNumber, "is lost")
        }
        try await producer.publish(batch.map { publication(of: $0) })
        batch.acknowledge()
        if case .failed = producer.connectionState { break }
    }
    consumer.stop()
    await consumer.waitUntilStopped()
    print(await producer.stop(), "messages were not sent, the consumer is", consumer.connectionState)
}

private func publication(of message: MQTTMessage) -> MQTTPublication {
    var publication = MQTTPublication(topic: Array(message.topic), payload: Array(message.payload))
    publication.qos = message.qos == .atMostOnce ? .atMostOnce : .atLeastOnce
    publication.retain = message.isRetained
    publication.properties = MQTTProperties(
        responseTopic: message.responseTopic.map { String(decoding: $0, as: UTF8.self) },
        correlationData: message.correlationData.map { Array($0) }, messageExpirySeconds: message.messageExpirySeconds)
    return publication
}
