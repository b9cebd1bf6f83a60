import Testing

@testable import MQTT

@Suite("Connecting again")
struct ReconnectPolicyTests {
    private let lost = MQTTError(.connectionLost, "lost")
    private let malformed = MQTTError(.protocolViolation, "malformed")

    @Test("The wait doubles, is capped, and is jittered by half")
    func backoff() {
        let backoff = MQTTBackoff(minimumSeconds: 0.1, maximumSeconds: 5)
        let longest = [1, 2, 3, 6, 7, 1_000_000].map { backoff.seconds(afterFailures: $0, random: 1) }
        #expect(zip(longest, [0.1, 0.2, 0.4, 3.2, 5, 5]).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(abs(backoff.seconds(afterFailures: 2, random: 0) - 0.1) < 1e-9)
        #expect(backoff.seconds(afterFailures: .min, random: .nan) >= 0)
    }

    @Test("Network errors are retried for ever")
    func patience() throws {
        var policy = makePolicy()
        for _ in 0..<1_000 { _ = try policy.wait(after: attempt(lost, accepted: true), random: 0.5) }
    }

    @Test("Progress starts the waits anew")
    func progress() throws {
        var policy = makePolicy()
        for _ in 0..<10 { _ = try policy.wait(after: attempt(lost), random: 1) }
        #expect(try policy.wait(after: attempt(lost, progress: true), random: 1) == 0.1)
    }

    @Test("A refused subscription is tried ever less often, whatever came before it on its connection")
    func refusedSubscription() throws {
        var policy = makePolicy()
        let refused = attempt(MQTTError(.subscriptionRefused, "no"), accepted: true, progress: true)
        for _ in 0..<6 { _ = try policy.wait(after: refused, random: 1) }
        #expect(try policy.wait(after: refused, random: 1) == 5)
    }

    @Test("TLS is tried three times")
    func tls() throws {
        var policy = makePolicy()
        let error = MQTTError(.tls, "no")
        for _ in 0..<2 { _ = try policy.wait(after: attempt(error), random: 0) }
        #expect(throws: error) { try policy.wait(after: attempt(error), random: 0) }
    }

    @Test(
        "An exclusive connection gives way to a second client of its id, not to a broken network or a broker's restart",
        arguments: [
            ([3_600, 0.1, 0.2], 0, true), ([3_600, 0.9, 1], 0.8, true), ([0.7, 0.7, 0.7, 0.7, 0.7], 0, false),
            ([3_600, 0.1, 5, 0.1], 0, false), ([3_600, 0.1, -1, 0.2], 0, false),
        ])
    func exclusive(lasted: [Double], connectSeconds: Double, gaveWay: Bool) {
        #expect(codes(lasted, connectSeconds) == (gaveWay ? [.sessionTakenOver] : []))
        // A cluster that fails over accepts a connection and serves it not at all.
        #expect(codes(lasted, connectSeconds, isServed: false) == [])
    }

    private func codes(_ lasted: [Double], _ connectSeconds: Double, isServed: Bool = true) -> [MQTTError.Code] {
        var policy = ReconnectPolicy(backoff: MQTTBackoff(), maximumReconnectsWithoutProgress: 5, isExclusive: true)
        var codes: [MQTTError.Code] = []
        for seconds in lasted {
            var closed = attempt(lost, accepted: seconds >= 0)
            (closed.connectSeconds, closed.lastedSeconds) = (connectSeconds, seconds)
            closed.wasServed = isServed
            do throws(MQTTError) { _ = try policy.wait(after: closed, random: 0) } catch { codes.append(error.code) }
        }
        return codes
    }

    private func makePolicy() -> ReconnectPolicy {
        ReconnectPolicy(backoff: MQTTBackoff(), maximumReconnectsWithoutProgress: 5)
    }

    private func attempt(
        _ error: MQTTError, accepted: Bool = false, progress: Bool = false
    ) -> ReconnectPolicy.Attempt {
        ReconnectPolicy.Attempt(error: error, wasAccepted: accepted || progress, madeProgress: progress)
    }
}
