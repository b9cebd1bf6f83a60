import PrivateBroker
import Glibc
import MQTT

/// A process that dies at a chosen instruction.
///
///     CrashingConsumer consume URL CLIENT-ID FILTER FILE COUNT before|after|never
///     CrashingConsumer broker
///
/// `consume` appends each payload as a line to FILE and syncs it, batch by batch. In the batch with which COUNT
/// messages are there it dies: *before* the commit, *after* it but before the acknowledgement, or *never*, and then it
/// acknowledges and ends in order. `broker` starts a private broker, prints its port, and waits to be killed.
@main
struct CrashingConsumer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "consume" where arguments.count == 8:
            guard let count = Int(arguments[6]) else { exit(64) }
            try await consume(
                url: arguments[2], clientID: arguments[3], filter: arguments[4], file: arguments[5], count: count,
                death: arguments[7])
        case "broker":
            let broker = try await EmbeddedBroker.start()
            print(broker.port)
            fflush(nil)
            await broker.ended()
        default: exit(64)
        }
    }

    static func consume(
        url: String, clientID: String, filter: String, file: String, count: Int, death: String
    ) async throws {
        var configuration = try MQTTConnectionConfiguration(
            endpoint: MQTTEndpoint(url), clientID: clientID, sessionExpirySeconds: 600)
        configuration.will = MQTTPublication(topic: "will/" + clientID, payload: Array("died".utf8))
        let consumer = MQTTConsumer(
            configuration: configuration, subscriptions: [MQTTSubscription(filter)],
            limits: MQTTBatchLimits(maximumMessages: 20))
        var received = 0
        for try await batch in consumer.batches {
            received += batch.count
            if received >= count, death == "before" { _exit(9) }
            commit(batch, to: file)
            if received >= count, death == "after" { _exit(9) }
            batch.acknowledge()
            if received >= count { consumer.stop() }
        }
    }

    /// The lines of a batch are on the disk when this returns.
    static func commit(_ batch: MQTTBatch, to file: String) {
        let lines = batch.flatMap { Array($0.payload) + [UInt8(ascii: "\n")] }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0, write(descriptor, lines, lines.count) == lines.count, fsync(descriptor) == 0 else {
            exit(74)
        }
        close(descriptor)
    }
}
