import Foundation
import MQTT
import Lab
import StrideClient
import Watched
import Wire

/// A walk with a pause in its middle, sent to services of which one may be away for a while, and what is told of it.
final class RestartedWalk: Sendable {
    /// There is an update at every so many steps.
    static let every: UInt64 = 10
    /// Seconds of frames in a second on the wall.
    static let speed = 8.0
    /// Standing, walking, standing and once more.
    static let script = WalkScript(stretches: [(false, 4), (true, 40), (false, 16), (true, 50), (false, 16)])

    /// What happens when so many seconds have been sent.
    typealias Interruption = (second: Int, what: @Sendable (ServiceProcesses) async throws -> Void)

    /// What was told.
    struct Heard: Sendable {
        /// The steps of a pedometer's updates.
        var updates: [UInt64] = []
        /// Pauses and resumptions.
        var events: [PedometerEvent] = []
        var eventKinds: [PedometerEvent.Kind] { events.map(\.kind) }
        fileprivate var totalSteps: UInt64 = 0
    }

    /// Something was not told in time.
    struct Missed: Error {
        let what: String
        let expectedSteps: UInt64
        let heard: Heard
    }

    let device: DeviceID
    let expectedSteps: UInt64
    private let gym: SimulatedGym
    private let pace: Pace
    private let heard = Watched(Heard())

    init(device: DeviceID) {
        self.device = device
        pace = Pace(speed: Self.speed, seconds: Double(Self.script.seconds))
        gym = Self.script.gym(of: [device], startMicroseconds: pace.startMicroseconds)
        expectedSteps = Self.script.steps(counting: gym)[device] ?? 0
    }

    /// The beginning of the minute in which the walk begins: updates count whole minutes.
    private var startMinute: Double { (Double(pace.startMicroseconds) / 60e6).rounded(.down) * 60 }

    /// Walks, and returns when everything has been counted and told.
    func run(_ interruptions: [Interruption]) async throws -> Heard {
        let services = try await ServiceProcesses()
        let bus = try StrideBus(endpoint: services.endpoint, root: services.root)
        let observer = try BusObserver(endpoint: services.endpoint, root: services.root)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe(self.note) }
            group.addTask { try await self.listen(bus) }
            try await services.startAll()
            try await walk(services, interruptions)
            await observer.close()
            group.cancelAll()
        }
        await bus.close()
        try await services.endAll()
        return heard.now
    }

    /// Waits until so many pauses and resumptions have been told.
    func waitForEvents(_ count: Int) async throws {
        try await wait(for: "\(count) events") { $0.events.count >= count }
    }

    private func walk(_ services: ServiceProcesses, _ interruptions: [Interruption]) async throws {
        let publisher = try MotionPublisher(endpoint: services.endpoint, root: services.root)
        var player = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: publisher)
        try await player.publishConfigurations()
        for (second, what) in interruptions {
            try await player.play(untilDevice: pace.startMicroseconds + Int64(second) * 1_000_000)
            try await what(services)
        }
        try await player.play(untilDevice: pace.startMicroseconds + Int64(Self.script.seconds) * 1_000_000)
        await publisher.close()
        let last = expectedSteps / Self.every
        try await wait(for: "all steps, updates and events") { heard in
            heard.totalSteps >= self.expectedSteps && heard.updates.last == last * Self.every
                && heard.events.count >= 4
        }
    }

    private func listen(_ bus: StrideBus) async throws {
        let pedometer = Pedometer(bus: bus, device: device)
        let start = TimePoint.instant(seconds: startMinute)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await data in pedometer.updates(from: start, every: Self.every) {
                    self.heard.change { $0.updates.append(data.steps) }
                }
            }
            group.addTask {
                for await event in pedometer.events { self.heard.change { $0.events.append(event) } }
            }
            try await group.waitForAll()
        }
    }

    private func note(_ event: BusEvent) {
        if case .total(_, let total) = event { heard.change { $0.totalSteps = total.steps } }
    }

    /// Waits for what is told; at the suite's time limit it says what was.
    private func wait(for what: String, until isDone: (Heard) -> Bool) async throws {
        guard await heard.wait(isDone) else {
            throw Missed(what: what, expectedSteps: expectedSteps, heard: heard.now)
        }
    }
}
