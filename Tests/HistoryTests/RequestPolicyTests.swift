import History
import MQTT
import Testing

@testable import Wire

@Suite("Who may ask what", .timeLimit(.minutes(5)))
struct RequestPolicyTests {
    static let secret = "sixteen bytes, or more"
    let policy: RequestPolicy

    init() throws {
        policy = try #require(
            RequestPolicy(protecting: [.peopleForget, .devicesForget], with: try RequestKey(Self.secret)))
    }

    @Test("A verb that is not protected is answered whatever the key")
    func unprotected() throws {
        for key in [nil, "", "wrong", Self.secret] {
            #expect(policy.refusal(of: try request(.historyDays, key: key)) == nil)
            #expect(RequestPolicy.open.refusal(of: try request(.peopleForget, key: key)) == nil)
        }
    }

    @Test(
        "A protected verb is answered with its key and no other",
        arguments: [
            nil, "", "s", "sixteen bytes, or mor", "sixteen bytes, or more ", "Sixteen bytes, or more",
            String(repeating: secret, count: 2), String(repeating: "x", count: 256),
        ])
    func protected(key: String?) throws {
        for verb in policy.protectedVerbs {
            #expect(policy.refusal(of: try request(verb, key: Self.secret)) == nil)
            let refusal = try #require(policy.refusal(of: try request(verb, key: key)))
            #expect(refusal.code == .notAuthorised)
            #expect(refusal.message.contains(verb.rawValue) && refusal.message.contains("'key'"))
            #expect(!refusal.message.contains(Self.secret))
        }
    }

    @Test("A key that can be guessed protects nothing, so it is no key")
    func short() throws {
        #expect(RequestPolicy(protecting: [.people], with: try RequestKey("")) == nil)
        #expect(RequestPolicy(protecting: [.people], with: try RequestKey("fifteen bytes..")) == nil)
        #expect(throws: WireError.outOfRange) { try RequestKey(String(repeating: "x", count: 257)) }
    }

    @Test("A key is not shown by anything that has it")
    func hidden() throws {
        let request = try request(.peopleForget, key: Self.secret)
        var text = "\(request) \(policy) \(String(reflecting: request)) \(String(reflecting: policy))"
        dump(request, to: &text)
        dump(policy, to: &text)
        #expect(!text.contains("sixteen"))
    }

    @Test("Over the bus a request without the key changes nothing and says what is missing; with it, it is carried out")
    func bus() async throws {
        let bike = try DeviceID("bike-07")
        let clock = TestClock(seconds: 1_795_195_800)
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/reply/#", "stride/bike-07/total", "stride/service/history/+")
            try await scope.withHistory(now: clock.nowSeconds, policy: policy) {
                try await scope.count(bike, minute: 1_795_195_800 / 60 - 1, revolutions: 40, after: 0, through: 1)
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(":40") }
                for (number, key) in ["", #","key":"sixteen bytes, or less""#].enumerated() {
                    try await scope.ask(
                        .devicesForget, #"{"device":"bike-07","reply_to":"stride/reply/\#(number)"\#(key)}"#)
                    let reply = try await listener.wait(for: "stride/reply/\(number)")
                    #expect(reply.text.contains(#""code":"not_authorised""#))
                }
                try await scope.ask(.capabilities, #"{"device":"bike-07","reply_to":"stride/reply/me"}"#)
                let keyless = try await listener.wait(for: "stride/reply/me").data(CapabilitiesData.self)
                #expect(keyless.unauthorisedVerbs == [.peopleForget, .devicesForget] && keyless[.revolutions])
                let asking = #"{"device":"bike-07","key":"\#(Self.secret)","reply_to":"stride/reply/"#
                try await scope.ask(.capabilities, asking + #"you"}"#)
                #expect(try await listener.wait(for: "stride/reply/you").data(CapabilitiesData.self).isAuthorised)
                try await scope.ask(.devicesForget, asking + #"done"}"#)
                let done = try await listener.wait(for: "stride/reply/done")
                #expect(try done.data(ForgetData.self) == ForgetData(devices: 1, minutes: 1))
            }
            let health = try await listener.wait(for: "stride/service/history/health") { heard in
                (try? ServiceHealth(json: heard.payload))?["requests_not_authorised"] == 2
            }
            #expect(try ServiceHealth(json: health.payload)["requests_error"] == 2)
            #expect(!listener.heard.contains { $0.text.contains(Self.secret) })
        }
    }

    private func request(_ verb: RequestVerb, key: String?) throws -> HistoryRequest {
        var request = HistoryRequest(verb: verb)
        request.key = try key.map { try RequestKey($0) }
        return request
    }
}
