import Contract
import MQTT
import PrivateBroker
import Testing
import Wire

@Suite("The watch that holds a test's messages against their schemas", .timeLimit(.minutes(5)))
struct BusWatchTests {
    private static let cadence =
        #"{"t":1795194000,"cadence_rpm":84,"confidence":0.9,"activity":"cycling","revolutions":7}"#

    @Test(
        "A message that differs from its schema is told, and one that keeps to it is not",
        arguments: [
            ("stride/bike-1/cadence", cadence, true),
            ("stride/bike-1/cadence", cadence.replacing("84", with: #""84""#), false),
            ("stride/bike-1/cadence", cadence.replacing("rpm", with: "rmp"), false),
            ("stride/bike-1/cadence", cadence.replacing("cycling", with: "flying"), false),
            ("stride/bike-1/cadence", cadence.replacing("0.9", with: "1.9"), false),
            ("stride/bike-1/cadence", "84", false), ("stride/bike-1/day", "{}", false),
            ("stride/service/counter/status", "well", false),
            ("stride/reply/devices", #"{"status":"ok","data":{"devices":[]}}"#, true),
            ("stride/reply/devices", #"{"status":"ok","data":{"buckets":[]}}"#, false),
            ("stride/reply/devices", #"{"status":"ok"}"#, false), ("stride/bike-1/rev", #"{"revolutions":-1}"#, false),
            ("stride/bike-1/imu", #"{"seq":1,"acc":[[0,0,9.8]]}"#, false), ("elsewhere", "{", true),
        ])
    func told(topic: String, payload: String, isRight: Bool) async throws {
        let broker = try await EmbeddedBroker.start()
        let endpoint = try MQTTEndpoint(broker.url)
        let watch = try await BusWatch.start(endpoint, scope: .everything)
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "stridebus"))
        try await producer.publish([
            MQTTPublication(topic: "stride/request/devices", payload: []),
            MQTTPublication(topic: topic, payload: Array(payload.utf8)),
        ])
        await producer.stop()
        #expect(await watch.findings().problems.isEmpty == isRight)
        await broker.stop()
    }
}
