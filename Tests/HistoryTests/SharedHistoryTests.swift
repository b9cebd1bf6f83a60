import Logging
import MQTT
import PrivateBroker
import PrivatePostgres
import ServiceKit
import ServiceLifecycle
import TestBroker
import Testing
import Watched
import Wire

@testable import History

@Suite(
    "History on a database server, over a real broker",
    .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"), .timeLimit(.minutes(5)))
struct SharedHistoryTests {
    let bike: DeviceID = "bike-07"

    @Test("While the server is away nothing is acknowledged, requests are told so, and it goes on when it is back")
    func away() async throws {
        let server = try await PrivatePostgres()
        let store = try await HistoryStore.postgres(try await server.database(), limits: .few)
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/bike-07/total", "stride/service/history/+", "stride/reply/#")
            try await scope.withHistory(store) {
                try await scope.count(bike, revolutions: 40, heardBy: listener)
                await server.shutDown()
                try await scope.count(bike, revolutions: 42, after: 1, through: 2)
                try await scope.ask(.historyDays, #"{"device":"bike-07","transaction":"q"}"#)
                let reply = try await listener.wait(for: "stride/reply/history/days")
                #expect(reply.text.contains(#""code":"internal""#))
                try await server.restart()
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(#""revolutions":42"#) }
            }
            let health = try await listener.wait(for: "stride/service/history/health") {
                $0.text.contains(#""rows_applied":2"#)
            }
            #expect(try ServiceHealth(json: health.payload)["commit_failures"] ?? 0 > 0)
        }
        await server.stop()
    }

    @Test("A history that stands by outlives its server, and takes the place of one that is gone")
    func standsBy() async throws {
        let server = try await PrivatePostgres()
        let address = try await server.database()
        let atWork = try await HistoryStore.postgres(address, limits: .few)
        try await withScope { scope in
            let lines = Watched<[String]>([])
            let group = try standby(scope, address, lines)
            let running = Task { try await group.run() }
            await lines.wait { $0.contains { $0.contains("standing by") } }
            await server.kill()
            await lines.wait { $0.contains { $0.contains("away") } }
            await atWork.close()
            try await server.restart()
            let listener = try await scope.listener("stride/service/history/status")
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            await group.triggerGracefulShutdown()
            try await running.value
        }
        await server.stop()
    }

    @Test("Of two that are at work, because the server has lost the lock of one, one stands by again")
    func lostLock() async throws {
        let server = try await PrivatePostgres()
        let address = try await server.database()
        try await withScope { scope in
            let listener = try await scope.listener("stride/service/history/status")
            let (first, second) = (Watched<[String]>([]), Watched<[String]>([]))
            let groups = try [first, second].map { try standby(scope, address, $0) }
            var running = [Task { try await groups[0].run() }]
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            running.append(Task { try await groups[1].run() })
            await second.wait { $0.contains { $0.contains("standing by") } }
            let other = PostgresPool(address, applicationName: "tests")
            try await other.statements { session in
                try session.run(
                    script: """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = 'stridebus-history-writer'
                        """)
            }
            await other.close()
            await first.wait { $0.contains { $0.contains("standing by") } }
            for group in groups { await group.triggerGracefulShutdown() }
            for task in running { try await task.value }
        }
        await server.stop()
    }

    private func standby(
        _ scope: HistoryScope, _ server: PostgresAddress, _ lines: Watched<[String]>
    ) throws -> ServiceGroup {
        var configuration = HistoryConfiguration(
            bus: BusSettings(endpoint: try MQTTEndpoint(scope.broker.url), topics: scope.topics, version: .v5),
            dataDirectory: scope.folder.path)
        configuration.shutdownSeconds = 1
        let standby = StandbyHistory(
            configuration: configuration, server: server, now: scope.clock.nowSeconds, inputGuard: nil,
            logger: Logger(label: "history") { _ in Lines(lines) })
        return ServiceGroup(services: [standby], logger: Logger(label: "group") { _ in Lines(lines) })
    }
}

/// A log that a test waits for.
private struct Lines: LogHandler {
    let lines: Watched<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    init(_ lines: Watched<[String]>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.change { $0.append("\(event.message)") } }
}
