import Foundation
package import MQTT
import ServiceLifecycle
package import StrideClient
import Synchronization
package import Wire

/// Plays a source onto the bus, shows what is counted meanwhile, and then asks history whether all of it is there.
package final class Demonstration<Source: VerifiableSource>: Service {
    /// The broker, the speed and the duration.
    package struct Plan: Sendable {
        /// The broker.
        package var endpoint: MQTTEndpoint
        /// The first levels of every topic.
        package var root: String
        /// The version of MQTT.
        package var version: MQTTVersion
        /// The pace of the frames.
        package var pace: Pace
        /// For how many seconds on the wall; nil goes on until the source ends or the group is shut down.
        package var wallSeconds: Double?
        /// The form in which frames travel.
        package var form: MotionPublisher.Form

        package init(
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

    /// The patience for services to come online and for totals to arrive, in seconds.
    package static var patienceSeconds: Double { 30 }

    private let plan: Plan
    private let source: Source
    private let table = LiveTable(showsTruth: true)
    private let online = Mutex<Set<ServiceName>>([])
    private let finding = Mutex<DemonstrationFinding?>(nil)

    package init(source: Source, plan: Plan) {
        self.source = source
        self.plan = plan
    }

    /// History's totals at the end; nil when the demonstration was ended before.
    package var result: DemonstrationFinding? { finding.withLock { $0 } }

    /// Plays, shows and asks; returns when that is done or the group is shut down.
    ///
    /// - Throws: `MQTTError` or `StrideClientError` when the bus cannot be reached or does not answer.
    package func run() async throws {
        table.note(source.devices)
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
            try await player.play(untilDevice: endMicroseconds, afterEach: table.note)
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
        table.note(event, at: .now)
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
            let lines = table.lines(at: .now)
            Output.write(
                screen.isTerminal ? screen.redraw(lines) : lines.map { $0.words + "\n" }.joined() + "\n")
        }
    }
}

/// Asks history for the totals of every device of a source until they are as expected or patience ends.
struct Verification<Source: VerifiableSource>: Sendable {
    let source: Source
    let startMicroseconds: Int64
    let patienceSeconds: Double

    /// Asks again and again; the answer that counts is the last one.
    func run(on bus: StrideBus) async throws -> DemonstrationFinding {
        let expected = source.devices.indices.map { source.expectedTotals(of: $0) }
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            do {
                let finding = try await ask(bus, expected)
                if finding.isAsExpected || ContinuousClock.now >= deadline { return finding }
            } catch StrideClientError.noReply(let seconds) {
                guard ContinuousClock.now < deadline else { throw StrideClientError.noReply(seconds: seconds) }
            }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private func ask(_ bus: StrideBus, _ expected: [ExpectedTotals]) async throws -> DemonstrationFinding {
        var rows: [DemonstrationFinding.Row] = []
        for (device, totals) in zip(source.devices, expected) {
            let answer = try await answer(device.id, bus)
            rows.append(DemonstrationFinding.Row(device: device, expected: totals, answer: answer))
        }
        return DemonstrationFinding(rows: rows)
    }

    /// History's minutes are whole: the interval is widened to them.
    private func answer(_ device: DeviceID, _ bus: StrideBus) async throws -> IntervalData {
        let from = (Double(startMicroseconds) / 60e6).rounded(.down) * 60
        let to = (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60
        return try await bus.interval(
            device: device, from: .instant(seconds: from), to: .instant(seconds: to))
    }
}

/// History's totals of every device beside the expected ones.
package struct DemonstrationFinding: Sendable {
    /// One device.
    package struct Row: Sendable {
        /// The device, with what it truly did.
        package let device: PlayedDevice
        package let expected: ExpectedTotals
        /// History's totals.
        package let answer: IntervalData

        /// True if they are within the tolerance.
        package var isAsExpected: Bool { expected.accepts(answer) }
    }

    /// The devices.
    package let rows: [Row]

    /// True if every device's totals are near enough.
    package var isAsExpected: Bool { rows.allSatisfy(\.isAsExpected) }

    /// A table with a verdict a device, and a line that sums up.
    package var lines: [String] {
        var table = TextTable(columns: [
            .words("device"), .numbers("history"), .numbers("expected"), .numbers("true"), .numbers("off"), .words(""),
            .words("from"),
        ])
        for row in rows { table.append(cells(row)) }
        let good = rows.count { $0.isAsExpected }
        return table.lines + ["", "\(good) of \(rows.count) devices as expected"]
    }

    private func cells(_ row: Row) -> [String] {
        let isBike = row.expected.revolutions > row.expected.steps
        let unit = isBike ? "rev" : "steps"
        let counted = isBike ? row.answer.revolutions : row.answer.steps
        let truth = isBike ? row.device.trueRevolutions : row.device.trueSteps
        let off = truth.flatMap { $0 > 0 ? (Double(counted) - Double($0)) / Double($0) * 100 : nil }
        return [
            row.device.id.description, "\(counted) \(unit)",
            "\(isBike ? row.expected.revolutions : row.expected.steps)", truth.map(String.init) ?? "",
            off.map { DecimalText.fixed($0, decimals: 1) + " %" } ?? "", row.isAsExpected ? "ok" : "DIFFERS",
            row.device.origin,
        ]
    }
}
