import Testing

@testable import MQTT

@Suite("Refused subscriptions")
struct SubscriptionGrantsTests {
    @Test("Where each answer takes long, it is tried three times all the same")
    func slowAnswers() {
        var grants = SubscriptionGrants(patienceSeconds: 10)
        let codes = [0.0, 30, 60].map { grants.error(refused: "a", reason: 0x80, nowSeconds: $0).code }
        #expect(codes == [.subscriptionRefused, .subscriptionRefused, .notAuthorized])
    }

    @Test("What was granted to one filter is not what another waits for")
    func otherFilter() {
        var grants = SubscriptionGrants(patienceSeconds: 0)
        grants.note(granted: ["a"])
        for filter in ["a", "b"] {
            let codes = (0..<3).map { _ in grants.error(refused: filter, reason: 0x80, nowSeconds: 0).code }
            #expect(codes.contains(.notAuthorized) == (filter == "b"))
        }
    }

    @Test(
        "MQTT 5 says which refusal lasts: that is an error at once, and another is tried again",
        arguments: [
            (0x80, .subscriptionRefused), (0x83, .subscriptionRefused), (0x91, .subscriptionRefused),
            (0x97, .subscriptionRefused), (0x87, .notAuthorized), (0x8F, .invalidTopic), (0x9E, .refused),
            (0xA1, .refused), (0xA2, .refused),
        ] as [(UInt8, MQTTError.Code)])
    func reasons(reason: UInt8, code: MQTTError.Code) {
        var grants = SubscriptionGrants(patienceSeconds: 10)
        let error = grants.error(refused: "a", reason: reason, nowSeconds: 0)
        #expect(error.code == code && error.reasonCode == reason)
        #expect(error.isRetriable == (code == .subscriptionRefused))
    }

    @Test("A connection that ends otherwise begins the count anew")
    func otherEnd() {
        var grants = SubscriptionGrants(patienceSeconds: 0)
        for _ in 0..<5 {
            for _ in 0..<2 {
                let error = grants.error(refused: "a", reason: 0x80, nowSeconds: 0)
                #expect(error.isRetriable)
                grants.connectionEnded(with: error)
            }
            grants.connectionEnded(with: MQTTError(.connectionLost, "lost"))
        }
    }
}
