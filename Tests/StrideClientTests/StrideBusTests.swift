import PrivateBroker
import MQTT
import StrideClient
import Testing

@testable import Wire

@Suite(.timeLimit(.minutes(5)))
struct StrideBusTests {
    @Test(
        "An answer finds the question it belongs to, whatever the order of the answers",
        arguments: [
            MQTTVersion.v5, .v311,
        ])
    func answersFindTheirQuestions(version: MQTTVersion) async throws {
        try await Scene.with(version: version) { scene in
            let client = scene.client
            try await scene.answering(count: 2) { request in
                let steps: Int64 = request.device == scene.first ? 1 : 2
                let data = IntervalData(device: scene.first, from: 0, to: 60, counts: Counts([.steps: steps]))
                return .ok(transaction: request.transaction, data: data)
            } during: {
                async let first = client.interval(
                    device: scene.first, from: .instant(seconds: 0), to: .instant(seconds: 60))
                async let second = client.interval(
                    device: scene.second, from: .instant(seconds: 0), to: .instant(seconds: 60))
                let steps = try await [first.steps, second.steps]
                #expect(steps == [1, 2])
            }
        }
    }

    @Test("An answer that is an error is thrown with history's own words")
    func refusal() async throws {
        try await Scene.with(version: .v5) { scene in
            let client = scene.client
            let refusal = ReplyError(code: .badRequest, message: "'to' is not after 'from'")
            try await scene.answering {
                .error(transaction: $0.transaction, refusal)
            } during: {
                let error = await #expect(throws: StrideClientError.self) { try await client.days(device: scene.first) }
                #expect(error?.refusal == refusal)
            }
        }
    }

    @Test(
        "A bus with a user asks as that user and is answered there; without one, or with a name that is none, as an operator",
        arguments: [("anna", "test/user/anna/reply/"), (nil, "test/reply/"), ("Anna S.", "test/reply/")])
    func user(name: String?, replies: String) async throws {
        for version in [MQTTVersion.v5, .v311] {
            try await Scene.with(version: version, user: name) { scene in
                try await scene.answering { request in
                    let isThere = request.replyTo?.hasPrefix(replies) == true
                    return .ok(transaction: request.transaction, data: ForgetData(devices: isThere ? 1 : 0, minutes: 0))
                } during: {
                    let forgotten = try await scene.client.forget(person: "Anna")
                    #expect(forgotten.devices == 1)
                }
            }
        }
    }

    @Test("A config goes to history with all that it says, and comes back as it is kept")
    func configure() async throws {
        try await Scene.with(version: .v5) { scene in
            var config = DeviceConfig()
            (config.kind, config.placement, config.zone) = (.bike, .crank, "Europe/Berlin")
            (config.dayStartMinutes, config.metresPerRevolution) = (240, 5.1)
            try await scene.answering { request in
                guard request.verb == .devicesConfigure, !request.keepsUnknownFields else {
                    return .error(transaction: request.transaction, ReplyError(code: .badRequest, message: ""))
                }
                return .ok(transaction: request.transaction, data: request.config?.encodedJSON() ?? [])
            } during: {
                let kept = try await scene.client.configure(scene.first, as: config)
                #expect(kept == config)
            }
        }
    }

    @Test("A question that nobody answers ends at its deadline")
    func deadline() async throws {
        try await Scene.with(version: .v5, timeoutSeconds: 0.2) { scene in
            await #expect {
                _ = try await scene.client.ask(HistoryRequest(verb: .devices))
            } throws: { error in
                guard case .noReply = error as? StrideClientError else { return false }
                return true
            }
        }
    }

    @Test(
        "Where there is no broker, or the request is too long, not even a deletion is waited for",
        .timeLimit(.minutes(1)))
    func forgettingNowhere() async throws {
        let bus = try StrideBus(endpoint: MQTTEndpoint("mqtt://127.0.0.1:1"), timeoutSeconds: 0.2)
        let start = ContinuousClock.now
        for name in ["anna", String(repeating: "a", count: 5_000)] {
            await #expect(throws: StrideClientError.self) { _ = try await bus.forget(person: name) }
        }
        #expect(ContinuousClock.now - start < .seconds(30))
        await bus.close()
    }

    @Test("To forget takes longer than an answer does, and is waited for")
    func forgetting() async throws {
        try await Scene.with(version: .v5, timeoutSeconds: 0.2) { scene in
            try await scene.answering(count: 3) { request in
                guard request.verb == .devicesForget else {
                    return .ok(transaction: request.transaction, data: Page<DeviceEntry>())
                }
                return .ok(transaction: request.transaction, data: ForgetData { $0.minutes = 7 })
            } during: {
                async let forgotten = scene.client.forget(device: scene.first)
                for _ in 0..<2 { _ = try? await scene.client.ask(HistoryRequest(verb: .devices)) }
                let minutes = try await forgotten.minutes
                #expect(minutes == 7)
            }
        }
    }

    @Test("Questions that wait when the bus is closed end then")
    func closing() async throws {
        try await Scene.with(version: .v5, timeoutSeconds: 60) { scene in
            let client = scene.client
            let answer = Task { try await client.ask(HistoryRequest(verb: .devices)) }
            for await case .connected in client.connectionStates { break }
            await client.close()
            await #expect(throws: StrideClientError.self) { _ = try await answer.value }
        }
    }
}
