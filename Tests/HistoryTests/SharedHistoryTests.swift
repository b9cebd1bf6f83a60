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
    let clock = TestClock(seconds: 1_795_195_800)
    let minute: Int64 = 1_795_195_800 / 60
    static let questions: [(verb: RequestVerb, payload: String)] = [
        (.historyDays, #"{"device":"bike-07","transaction":"q"}"#),
        (.historySeries, #"{"device":"bike-07","bucket":"hour","transaction":"q"}"#),
        (.devices, #"{"transaction":"q"}"#),
    ]

    @Test("Two buses whose histories share a database get the answers of one history with a file, on either bus")
    func sameAnswers() async throws {
        try await withScope { scope in
            let roots = [try TopicTree(root: "gym/berlin"), try TopicTree(root: "gym/paris")]
            let alone = try await answers(
                scope, [try TopicTree(root: "alone")], [try await scope.folder.store(.sqlite)])
            let shared = try await answers(
                scope, roots,
                [
                    try await scope.folder.store(.postgres, root: roots[0].root),
                    try await scope.folder.store(.postgres, root: roots[1].root),
                ])
            #expect(shared[0] == alone[0])
            #expect(shared[1] == alone[0])
        }
    }

    /// Runs a history a root, gives each the same rows in another order, and asks each the same.
    private func answers(
        _ scope: HistoryScope, _ roots: [TopicTree], _ stores: [HistoryStore]
    ) async throws -> [[String]] {
        let listener = try await scope.listener("#")
        var answers: [[String]] = []
        try await scope.withHistories(zip(roots, stores).map { ($0, $1) }, now: clock.nowSeconds) {
            for (index, root) in roots.enumerated() {
                let numbers = Array(1...30 as ClosedRange<UInt64>)
                for number in index == 0 ? numbers : numbers.reversed() {
                    try await scope.count(
                        bike, minute: minute - Int64(number % 7) * 50, revolutions: Int64(number) * 2,
                        after: number - 1, through: number, in: root)
                }
            }
            for root in roots {
                _ = try await listener.wait(for: "\(root.root)/service/history/health") { heard in
                    let health = try? ServiceHealth(json: heard.payload)
                    return (health?["rows_applied"] ?? 0) + (health?["rows_repeated"] ?? 0) == 30
                }
            }
            for root in roots {
                var words: [String] = []
                for (verb, payload) in Self.questions {
                    try await scope.producer.publish(
                        MQTTPublication(topic: root.bytes(.request(verb)), payload: Array(payload.utf8)))
                    // A revision says only that something has changed, so it depends on the order.
                    let reply = try await listener.wait(for: "\(root.root)/reply/\(verb.rawValue)").text
                    words.append(reply.replacing(/"revision":[0-9]+/, with: ""))
                }
                answers.append(words)
            }
        }
        return answers
    }

    @Test("While the server is away nothing is acknowledged, requests are told so, and it goes on when it is back")
    func away() async throws {
        let server = try await PrivatePostgres()
        let store = try await HistoryStore.postgres(try await server.database(), limits: .few)
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/bike-07/total", "stride/service/history/+", "stride/reply/#")
            try await scope.withHistory(store, now: clock.nowSeconds) {
                try await scope.count(bike, minute: minute, revolutions: 40, after: 0, through: 1)
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(#""revolutions":40"#) }
                await server.shutDown()
                try await scope.count(bike, minute: minute, revolutions: 42, after: 1, through: 2)
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
            let other = try await HistoryStore.postgres(address, root: nil, limits: .few)
            try await other.database.write { session in
                _ = try session.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'stridebus-history-holder'
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
            configuration: configuration, server: server, now: clock.nowSeconds, inputGuard: nil,
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
