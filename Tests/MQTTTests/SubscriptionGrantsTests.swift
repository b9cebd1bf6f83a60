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
