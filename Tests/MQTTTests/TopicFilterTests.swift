import Testing

@testable import MQTT

@Suite("A topic filter (MQTT 5 section 4.7)")
struct TopicFilterTests {
    @Test(
        "A wildcard that fills its level is accepted",
        arguments: ["a/b", "#", "a/#", "+", "a/+/c", "+/+", "/+", "+/#", "$SYS/#", "a//b", "/"])
    func accepted(filter: String) throws {
        try MQTTSubscription.check(filter)
    }

    @Test(
        "A wildcard in the wrong place is refused",
        arguments: ["", "a+", "+a", "a/b+/c", "a#", "#/a", "a/#/b", "a/b#", "##", "a\u{0}"])
    func refused(filter: String) {
        #expect(throws: MQTTError.self) { try MQTTSubscription.check(filter) }
    }
}
