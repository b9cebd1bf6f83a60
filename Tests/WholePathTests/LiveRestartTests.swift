import Foundation
import Simulator
import StrideClient
import Testing
import Wire

@Suite("Notices and events while a service is ended in the middle of a walk", .serialized, .timeLimit(.minutes(5)))
struct LiveRestartTests {
    @Test(
        "Notices come at n, 2n, 3n, none twice and none left out; pauses and resumptions once each",
        arguments: [ServiceName.ingest, .counter], [SIGKILL, SIGTERM])
    func restart(of name: ServiceName, by signal: Int32) async throws {
        let walk = try RestartedWalk(device: DeviceID("walker-1"))
        // In the middle of each of the two walks it is away: for a moment, and for longer than a silence that reads 0.
        let heard = try await walk.run([
            (20, { try await $0.end(name, by: signal) }), (28, { try $0.start(name) }),
            (66, { try await $0.end(name, by: signal) }), (96, { try $0.start(name) }),
        ])
        let steps = walk.expectedSteps
        #expect(steps > 120)
        let last = steps / RestartedWalk.every
        #expect(heard.noticeNumbers == (last > 0 ? Array(1...last) : []))
        #expect(heard.updates == (1...last).map { $0 * RestartedWalk.every })
        #expect(heard.eventKinds == [.resume, .pause, .resume, .pause], "\(heard.events)")
    }
}
