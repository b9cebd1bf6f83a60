import Foundation
package import MQTT
import ServiceLifecycle
package import StrideClient
import Synchronization
package import Wire

/// Plays a source onto the bus, shows what is counted meanwhile, and then asks history whether all of it is there.
package final class Demonstration<Source: FrameSource>: Service {
    private let source: Source
    private let endpoint: MQTTEndpoint
    private let root: String
    private let version: MQTTVersion
    private let pace: Pace
    private let wallSeconds: Double?
    private let form: MotionPublisher.Form

    private let table = LiveTable(showsTruth: true)
    private let online = Mutex<Set<ServiceName>>([])
    private let finding = Mutex<DemonstrationFinding?>(nil)

    /// The patience for services to come online and for totals to arrive, in seconds.
    private static var patienceSeconds: Double { 30 }

    /// A demonstration for some seconds on the wall; without them until the source ends or the group is shut down.
    package init(
        source: Source, endpoint: MQTTEndpoint, root: String, version: MQTTVersion, pace: Pace, wallSeconds: Double?,
        form: MotionPublisher.Form
    ) {
        (self.source, self.endpoint, self.root, self.version) = (source, endpoint, root, version)
        (self.pace, self.wallSeconds, self.form) = (pace, wallSeconds, form)
    }

    /// History's totals at the end; nil when the demonstration was ended before.
    package var result: DemonstrationFinding? { finding.withLock { $0 } }

    /// Plays, shows and asks; returns when that is done or the group is shut down.
    ///
    /// - Throws: `MQTTError` or `StrideClientError` when the bus cannot be reached or does not answer.
    package func run() async throws {
        table.note(source.devices)
        let observer = try BusObserver(endpoint: endpoint, root: root, version: version)
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
        let publisher = try MotionPublisher(endpoint: endpoint, root: root, version: version)
        var player = FramePlayer(source: source, pace: pace, publisher: publisher, form: form)
        do {
            try await player.publishConfigurations()
            try await player.play(untilDevice: endMicroseconds, afterEach: table.note)
        } catch {
            await publisher.close()
            throw error
        }
        await publisher.close()
        guard !Task.isCancelled, wallSeconds != nil || player.source.nextDueMicroseconds == nil else { return }
        try await verify(player.source)
    }

    private var endMicroseconds: Int64? {
        wallSeconds.map { pace.startMicroseconds + Int64(($0 * pace.speed * 1e6).rounded()) }
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
        let bus = try StrideBus(endpoint: endpoint, root: root, version: version)
        do {
            let finding = try await ask(bus, for: source)
            self.finding.withLock { $0 = finding }
        } catch {
            await bus.close()
            throw error
        }
        await bus.close()
    }

    private func showBoard() async throws {
        var screen = LiveScreen()
        let isTerminal = LiveScreen.isTerminal
        let interval = Duration.milliseconds(isTerminal ? 500 : 5000)
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            let lines = table.lines(at: .now)
            if isTerminal { screen.redraw(lines) } else { (lines + [""]).forEach(Output.line) }
        }
    }

    /// Asks history for the totals of every device until they are as expected or patience ends.
    private func ask(_ bus: StrideBus, for source: Source) async throws -> DemonstrationFinding {
        let expected = source.devices.indices.map { source.expectedTotals(of: $0) }
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        // History's minutes are whole: the interval is widened to them.
        let from = (Double(pace.startMicroseconds) / 60e6).rounded(.down) * 60
        while true {
            do {
                var rows: [DemonstrationFinding.Row] = []
                for (device, totals) in zip(source.devices, expected) {
                    let to = (Date().timeIntervalSince1970 / 60).rounded(.up) * 60 + 60
                    let answer = try await bus.interval(
                        device: device.id, from: .instant(seconds: from), to: .instant(seconds: to))
                    rows.append(DemonstrationFinding.Row(device: device, expected: totals, answer: answer))
                }
                let finding = DemonstrationFinding(rows: rows)
                if finding.isAsExpected || ContinuousClock.now >= deadline { return finding }
            } catch StrideClientError.noReply(let seconds) {
                guard ContinuousClock.now < deadline else { throw StrideClientError.noReply(seconds: seconds) }
            }
            try await Task.sleep(for: .milliseconds(250))
        }
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
        let (counted, expected, truth) =
            isBike
            ? (row.answer.revolutions, row.expected.revolutions, row.device.trueRevolutions)
            : (row.answer.steps, row.expected.steps, row.device.trueSteps)
        let off = truth.flatMap { $0 > 0 ? (Double(counted) - Double($0)) / Double($0) * 100 : nil }
        return [
            row.device.id.description, "\(counted) \(isBike ? "rev" : "steps")", "\(expected)",
            truth.map(String.init) ?? "", off.map { DecimalText.fixed($0, decimals: 1) + " %" } ?? "",
            row.isAsExpected ? "ok" : "DIFFERS", row.device.origin,
        ]
    }
}
