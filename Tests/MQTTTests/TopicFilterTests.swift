import MQTT
import Testing

@Suite("A topic filter (MQTT 5 section 4.7)")
struct TopicFilterTests {
    @Test(
        "It matches",
        arguments: [
            ("a/b", "a/b"), ("#", "a"), ("#", "/a/b"), ("a/#", "a"), ("a/#", "a/"), ("a/#", "a/b/c"), ("+", "a"),
            ("+", "1 2"), ("a/+/c", "a/b/c"), ("a/+/c", "a//c"), ("+/+", "/a"), ("/+", "/a"), ("/+", "/"),
            ("+/#", "a"), ("a/+", "a/"), ("$SYS/#", "$SYS/x"), ("a/+/#", "a/b"), ("+/b/#", "a/b/c/d"),
        ])
    func matches(filter: String, topic: String) throws {
        #expect(try MQTTTopicFilter(filter).matches(topic))
    }

    @Test(
        "It does not match",
        arguments: [
            ("a/b", "a/c"), ("a/b", "a/b/c"), ("a/b/c", "a/b"), ("+", "/a"), ("+", "a/b"), ("a/+", "a"), ("a/#", "ab"),
            ("a/+/c", "a/b/d"), ("#", "$SYS/x"), ("+/x", "$SYS/x"), ("a", "A"), ("a", ""), ("#", ""), ("a/+", "a/+"),
            ("raw/+/b", "raw/+/b"), ("#", "a/#"), ("a/b/#", "a"), ("a/+", "a/b/"), ("a", "a/"),
        ])
    func doesNotMatch(filter: String, topic: String) throws {
        #expect(try !MQTTTopicFilter(filter).matches(topic))
    }

    @Test(
        "A wildcard in the wrong place is refused",
        arguments: ["", "a+", "+a", "a/b+/c", "a#", "#/a", "a/#/b", "a/b#", "##", "a\u{0}"])
    func refused(filter: String) {
        #expect(throws: MQTTError.self) { try MQTTTopicFilter(filter) }
    }
}
