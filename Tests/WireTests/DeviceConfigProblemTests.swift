import Testing
import Wire

@Suite("What is wrong with a config")
struct DeviceConfigProblemTests {
    private func problem(_ text: String, allowsUnknown: Bool = true) -> String? {
        Array(text.utf8).withUnsafeBytes { DeviceConfig.problem(in: $0, allowsUnknown: allowsUnknown) }
    }

    @Test(
        "The field is named, with what it may be",
        arguments: [
            (#"{"kind":"bicycle"}"#, #"'kind' is "bicycle": give bike, wearable or unknown"#),
            (#"{"kind":7}"#, "'kind' is 7: give bike, wearable or unknown"),
            (#"{"kind":"bike","day_start":"25:00"}"#, #"'day_start' is "25:00": give a time of day, such as 04:00"#),
            (#"{"height_m":178}"#, "'height_m' is 178: give 0.5 to 2.5 metres"),
            (#"{"metres_per_revolution":"6"}"#, #"'metres_per_revolution' is "6": give 0.1 to 50 metres"#),
            (#"{"estimator":"prototype"}"#, "the prototype needs 'sensor': give acc, gyro or mag"),
            (
                #"{"estimator":"prototype","sensor":"gyro","axis":"z","f":0.5,"q":100}"#,
                "'f' is 0.5: give 0.75 to 1"
            ),
            (#"{"kind":"bike""#, "not JSON, cut short, or a field twice: check its syntax"),
            (#"{"height_m":NaN}"#, "not JSON, cut short, or a field twice: check its syntax"),
            ("[]", #"no JSON object: send {"kind":"bike"} or alike"#),
        ])
    func fields(text: String, expected: String) {
        #expect(problem(text) == expected)
        #expect(throws: WireError.self) { try DeviceConfig(json: Array(text.utf8)) }
    }

    @Test(
        "Nothing is wrong with what can be read",
        arguments: [
            "{}", #"{"kind":"bike","placement":"frame","zone":"Europe/Berlin"}"#, #"{"kind":null,"f":0.9}"#,
            #"{"estimator":"prototype","sensor":"gyro","axis":"z","f":0.9,"q":100}"#,
        ])
    func readable(text: String) {
        #expect(problem(text, allowsUnknown: false) == nil)
    }

    @Test("A field that there is not is passed over, unless it is asked for")
    func unknown() {
        #expect(problem(#"{"plcement":"wrist"}"#) == nil)
        #expect(problem(#"{"plcement":"wrist"}"#, allowsUnknown: false)?.hasPrefix("there is no 'plcement'") == true)
    }

    @Test("However long a wrong value is, the words fit a health message")
    func length() {
        let long = String(repeating: "x", count: 5000)
        for text in [#"{"placement":"\#(long)"}"#, #"{"\#(long)":1}"#] {
            #expect((problem(text, allowsUnknown: false)?.utf8.count ?? 0) <= 230)
        }
    }
}
