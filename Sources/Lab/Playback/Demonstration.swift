public import MQTT
public import ServiceLifecycle
public import StrideClient
import Synchronization
import Wire

/// Plays a source onto the bus, shows what is counted meanwhile, and then asks history whether all of it is there.
public final class Demonstration<Source: VerifiableSource>: Service {
    /// Where, how fast and for how long.
    public struct Plan: Sendable {
        /// The broker.
        public var endpoint: MQTTEndpoint
        /// The first levels of every topic.
        public var root: String
        /// The version of MQTT.
        public var version: MQTTVersion
        /// The pace of the frames.
        public var pace: Pace
        /// For how many seconds on the wall; nil goes on until the source ends or the group is shut down.
        public var wallSeconds: Double?
        /// The form in which frames travel.
        public var form: MotionPublisher.Form

        /// A plan from its parts.
        public init(
            endpoint: MQTTEndpoint, root: String, version: MQTTVersion, pace: Pace, wallSeconds: Double?,
            form: MotionPublisher.Form
        ) {
            self.endpoint = endpoint
            self.root = root
            self.version = version
            self.pace = pace
            self.wallSeconds = wallSeconds
            self.form = form
        }
    }

    /// How long services may take to come online, and totals to arrive, in seconds.
    public static var patienceSeconds: Double { 30 }

    private let plan: Plan
    private let source: Source
    private let board = DeviceBoard(showsTruth: true)
    private let online = Mutex<Set<ServiceName>>([])
    private let finding = Mutex<DemonstrationFinding?>(nil)

    /// A demonstration that has not started.
    public init(source: Source, plan: Plan) {
        self.source = source
        self.plan = plan
    }

    /// What history said at the end; nil when the demonstration was ended before.
    public var result: DemonstrationFinding? { finding.withLock { $0 } }

    /// Plays, shows and asks; returns when that is done or the group is shut down.
    ///
    /// - Throws: `MQTTError` or `StrideClientError` when the bus cannot be reached or does not answer.
    public func run() async throws {
        board.note(source.devices)
        let observer = try BusObserver(endpoint: plan.endpoint, root: plan.root, version: plan.version)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe(self.note) }
            group.addTask { try await self.showBoard() }
            try await cancelWhenGracefulShutdown { try await self.demonstrate() }
            await observer.close()
            group.cancelAll()
        }
    }

    private func demonstrate() async throws {
        try await waitForServices()
        let publisher = try MotionPublisher(endpoint: plan.endpoint, root: plan.root, version: plan.version)
        var player = FramePlayer(source: source, pace: plan.pace, publisher: publisher, form: plan.form)
        do {
            try await player.publishConfigurations()
            try await player.play(untilDevice: endMicroseconds, afterEach: board.note)
        } catch {
            await publisher.close()
            throw error
        }
        await publisher.close()
        guard !Task.isCancelled, plan.wallSeconds != nil || player.source.nextDueMicroseconds == nil else { return }
        try await verify(player.source)
    }

    private var endMicroseconds: Int64? {
        plan.wallSeconds.map { plan.pace.startMicroseconds + Int64(($0 * plan.pace.speed * 1e6).rounded()) }
    }

    private func note(_ event: BusEvent) {
        if case .service(let name, let isOnline) = event {
            online.withLock { _ = isOnline ? $0.insert(name).inserted : ($0.remove(name) != nil) }
        }
        board.note(event)
    }

    private func waitForServices() async throws {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while online.withLock({ $0.count }) < ServiceName.allCases.count {
            guard ContinuousClock.now < deadline else {
                throw StrideClientError.noReply(seconds: Self.patienceSeconds)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func verify(_ source: Source) async throws {
        let bus = try StrideBus(endpoint: plan.endpoint, root: plan.root, version: plan.version)
        do {
            let verification = Verification(
                source: source, startMicroseconds: plan.pace.startMicroseconds, patienceSeconds: Self.patienceSeconds)
            let finding = try await verification.run(on: bus)
            self.finding.withLock { $0 = finding }
        } catch {
            await bus.close()
            throw error
        }
        await bus.close()
    }

    private func showBoard() async throws {
        var screen = LiveScreen()
        let interval = Duration.milliseconds(screen.isTerminal ? 500 : 5000)
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            let lines = board.lines
            Output.write(screen.isTerminal ? screen.redraw(lines) : lines.joined(separator: "\n") + "\n\n")
        }
    }
}
