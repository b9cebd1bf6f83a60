import Contract
import MQTT
import StrideClient
import TestBroker
import Testing

@testable import Wire

@Suite(.timeLimit(.minutes(5)))
struct BusObserverTests {
    @Test("An observer hears what is said about every device, and junk on the same topics is passed over")
    func hears() async throws {
        try await TestBroker.with { bus in
            let watch = try await BusWatch.start(bus.endpoint, roots: ["test"])
            let observer = try BusObserver(endpoint: bus.endpoint, root: "test")
            for await case .connected in observer.connectionStates { break }
            let report = CadenceReport(
                t: 1_795_194_000, cadenceRPM: 84, cadenceSPM: nil, confidence: 0.9, activity: .cycling, revolutions: 7)
            // Retained, so that it is heard whether or not the subscription is in force yet.
            try await bus.producer().publish([
                MQTTPublication(topic: "test/bike-1/cadence", payload: Array("{junk".utf8), retain: true),
                MQTTPublication(topic: "test/bike-2/cadence", payload: report.encodedJSON(), retain: true),
                MQTTPublication(topic: "test/service/history/status", payload: Array("online".utf8), retain: true),
            ])
            let (events, heard) = AsyncStream<BusEvent>.makeStream()
            let listening = Task { try await observer.observe { heard.yield($0) } }
            var hasCadence = false
            var hasService = false
            for await event in events {
                switch event {
                case .cadence(let device, let cadence):
                    #expect(device.description == "bike-2")
                    #expect(cadence == report)
                    hasCadence = true
                case .service(let name, let isOnline):
                    #expect(name == .history && isOnline)
                    hasService = true
                default: Issue.record("nobody said \(event)")
                }
                if hasCadence && hasService { break }
            }
            await observer.close()
            try await listening.value
            // The one message that is junk, and nothing else.
            let problems = await watch.findings().problems
            #expect(problems.count == 1 && problems[0].contains("{junk"), "\(problems)")
        }
    }
}
