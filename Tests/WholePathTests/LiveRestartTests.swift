import Foundation
import Lab
import StrideClient
import TestBroker
import Testing
import Wire

@Suite("Updates and events while a service is ended in the middle of a walk", .serialized, .timeLimit(.minutes(5)))
struct LiveRestartTests {
    @Test(
        "Updates come at n, 2n, 3n, none twice and none left out; pauses and resumptions once each",
        arguments: ServiceName.allCases, [SIGKILL, SIGTERM])
    func restart(of name: ServiceName, by signal: Int32) async throws {
        let walk = RestartedWalk(device: "walker-1")
        let heard = try await walk.run(Self.interruptions(of: walk, name, signal))
        let last = walk.expectedSteps / RestartedWalk.every
        try #require(last > 12)
        #expect(heard.updates == (1...last).map { $0 * RestartedWalk.every })
        #expect(heard.eventKinds == [.resume, .pause, .resume, .pause], "\(heard.events)")
    }

    @Test(
        "A pause that was over before the counter was back is told late, with its own time, and so is the walk after it",
        arguments: [40, 50])
    func pauseInAbsence(killedAt second: Int) async throws {
        let walk = RestartedWalk(device: "walker-1")
        let interruptions: [RestartedWalk.Interruption] = [
            (18, { _ in try await walk.waitForEvents(1) }), (second, { try await $0.end(.counter, by: SIGKILL) }),
            (75, { try $0.start(.counter) }),
        ]
        let heard = try await walk.run(interruptions)
        try #require(heard.eventKinds == [.resume, .pause, .resume, .pause], "\(heard.events)")
        let paused = heard.events[2].t - heard.events[1].t
        let script = RestartedWalk.script.stretches[2].seconds
        #expect((script - 8...script + 8).contains(paused), "\(heard.events)")
    }

    /// In the middle of each of the two walks a service is away: for a moment, and for longer than a silence that
    /// reads 0. The walker waits until each change has been told, so that nothing but the walk goes on meanwhile.
    private static func interruptions(
        of walk: RestartedWalk, _ name: ServiceName, _ signal: Int32
    ) -> [RestartedWalk.Interruption] {
        [
            (18, { _ in try await walk.waitForEvents(1) }),
            (20, { try await $0.end(name, by: signal) }), (28, { try $0.start(name) }),
            (56, { _ in try await walk.waitForEvents(2) }),
            (74, { _ in try await walk.waitForEvents(3) }),
            (76, { try await $0.end(name, by: signal) }), (106, { try $0.start(name) }),
        ]
    }
}
