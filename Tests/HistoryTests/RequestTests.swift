import History
import Testing
import Wire

@Suite("What is done with a request")
struct RequestTests {
    @Test(
        "A hostile reply topic is never answered on",
        arguments: [
            "stride/bike-07/config", "stride/service/resend/counts", "stride/request/devices", "stride/reply/+",
            "stride/reply/#", "stride/reply/a/../b", "stride/reply/", "stride/reply", "stride/replyx/a",
            "$SYS/broker", "homeassistant/sensor/x/config", "", "stride/reply/a b", "other/reply/x",
            "stride/reply//x", "stride/reply/\u{0}", "stride/reply/ä",
        ])
    func hostile(topic: String) throws {
        #expect(try admit("devices", "{}", response: topic) == nil)
        let quoted = JSONWriter.quoted(topic)
        #expect(try admit("devices", #"{"reply_to":\#(quoted)}"#) == nil)
        let rescued = try #require(try admit("devices", #"{"reply_to":"stride/reply/safe"}"#, response: topic))
        #expect(String(decoding: rescued.requester.address.topic, as: UTF8.self) == "stride/reply/safe")
    }

    @Test(
        "Who asks below users and is none is not answered on an operator's topic",
        arguments: ["user/Anna/request", "user//request", "user/wall/request", "user/anna", "user/anna/x"])
    func noUser(level: String) throws {
        for verb in ["devices", "request"] {
            guard
                case .refused(.unknownTopic) = try Admission(
                    verb, #"{"reply_to":"stride/reply/front-desk","transaction":1}"#, below: level)
            else {
                Issue.record("\(level)/\(verb) is answered")
                continue
            }
        }
    }

    @Test("A request whose deadline or expiry has passed is not answered")
    func late() throws {
        guard case .expired = try Admission("devices", #"{"deadline":999}"#) else {
            Issue.record("a late request was admitted")
            return
        }
        let inTime = try #require(try admit("devices", #"{"deadline":1001.5}"#))
        #expect(inTime.deadlineSeconds == 1001.5)
        let expiring = try #require(try admit("devices", #"{"deadline":2000}"#, expirySeconds: 7))
        #expect(expiring.deadlineSeconds == 1007)
    }

    @Test(
        "What is wrong is said in words, to the asker, with the transaction",
        arguments: [
            (#"{"device":"Bike 7","transaction":"a"}"#, "'device'"),
            (#"{"from":"yesterday","transaction":"a"}"#, "'from'"),
            (#"{"to":{},"transaction":"a"}"#, "'to'"), (#"{"bucket":"fortnight","transaction":"a"}"#, "'bucket'"),
            (#"{"limit":0,"transaction":"a"}"#, "'limit'"), (#"{"limit":1.5,"transaction":"a"}"#, "'limit'"),
            (#"{"zone":7,"transaction":"a"}"#, "'zone'"), (#"{"export":7,"transaction":"a"}"#, "'export'"),
        ])
    func wrongField(payload: String, word: String) throws {
        let admitted = try #require(try admit("history/series", payload))
        #expect(admitted.transaction == .string("a"))
        let error = try #require(admitted.refusal)
        #expect(error.code == .badRequest && error.message.contains(word))
    }

    @Test("Correlation Data comes back whole; beyond its limit with an error")
    func correlation() throws {
        for count in [0, 256, 257, 60_000] {
            let data = [UInt8](repeating: 7, count: count)
            let admitted = try #require(try Admission("devices", "{}", correlationData: data).request)
            #expect(admitted.requester.correlationData == data)
            #expect(admitted.refusal?.message.contains("Correlation Data") == (count > 256 ? true : nil))
        }
    }

    @Test(
        "Each field of each verb is named where it is of another form, and its form is told",
        arguments: RequestVerb.allCases)
    func wrongForm(verb: RequestVerb) throws {
        for field in verb.fields {
            let admitted = try admit(verb.rawValue, #"{"\#(field)":[[[]]]}"#, response: "stride/reply/me")
            let message = try #require(admitted?.refusal).message
            #expect(message.hasPrefix("'\(field)'") && !message.contains("wrong type"), "\(message)")
        }
    }

    @Test(
        "What is not even JSON is told so",
        arguments: [
            "[1]", "{", "\u{0}", "true", #"{"device":"bike-07"#, String(repeating: "[", count: 3000),
            #"{"device":"b","from":NaN}"#, #"{"device":"b","config":{"height_m":-Infinity},"merge":true}"#,
        ])
    func notJSON(payload: String) throws {
        #expect(try admit("history/days", payload)?.refusal?.code == .badRequest)
    }

    @Test(
        "A field that is there twice and a number that is none are told",
        arguments: [
            (#"{"device":"a","device":"a"}"#, "a field twice"), (#"{"limit":NaN}"#, "a number"),
            (#"{"limit":1e309}"#, "a number"),
        ])
    func faults(payload: String, words: String) throws {
        #expect(try admit("history/days", payload)?.refusal?.message.contains(words) == true)
    }

    @Test("An unknown verb is told so where an address is named, and dropped where none is")
    func unknownVerb() throws {
        #expect(
            try admit("history/centuries", "{}", response: "stride/reply/me")?.refusal?.code == .unknownVerb)
        guard case .refused = try Admission("history/centuries", "{}") else {
            Issue.record("an answer would go to a topic that nobody named")
            return
        }
    }

    private func admit(
        _ verb: String, _ payload: String, response: String? = nil, expirySeconds: UInt32? = nil
    ) throws -> AdmittedRequest? {
        try Admission(verb, payload, response: response, expirySeconds: expirySeconds).request
    }
}

extension JSONWriter {
    /// A JSON string.
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
