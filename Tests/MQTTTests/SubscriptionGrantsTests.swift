import Testing

@testable import MQTT

@Suite("Refused subscriptions")
struct SubscriptionGrantsTests {
    @Test("A filter that was never granted is refused three times and for the whole time, then that is final")
    func patience() {
        var grants = SubscriptionGrants(patienceSeconds: 10)
        for seconds in [100.0, 101, 102, 109] {
            #expect(grants.error(refused: "a", reason: 0x80, nowSeconds: seconds).isRetriable)
        }
        let last = grants.error(refused: "a", reason: 0x80, nowSeconds: 110)
        #expect(last.code == .notAuthorized)
        #expect(!last.isRetriable)
    }

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

    @Test("A filter that was granted is tried for ever, and a reason that passes too; one that lasts ends it at once")
    func granted() {
        var grants = SubscriptionGrants(patienceSeconds: 0)
        grants.note(granted: ["a"])
        for index in 0..<100 {
            #expect(grants.error(refused: "a", reason: 0x80, nowSeconds: Double(index)).isRetriable)
            #expect(grants.error(refused: "b", reason: 0x97, nowSeconds: Double(index)).isRetriable)
        }
        #expect(grants.error(refused: "a", reason: 0x87, nowSeconds: 0).code == .notAuthorized)
    }
}
