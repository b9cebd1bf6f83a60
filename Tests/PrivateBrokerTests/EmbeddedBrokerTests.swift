import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import Synchronization
import TestBroker
import Testing
import Watched

@testable import PrivateBroker

@Suite("A private broker", .timeLimit(.minutes(5)))
struct EmbeddedBrokerTests {
    private let folder = TemporaryFolder()

    @Test("The broker's log does not grow while nothing happens, and is begun anew where it is long")
    func boundedLog() async throws {
        let broker = try await EmbeddedBroker.start()
        #expect(!broker.log.contains("running"), "information is not logged: a line each few seconds")
        let handle = try #require(FileHandle(forWritingAtPath: broker.logFile))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(String(repeating: "x\n", count: 600_000).utf8))
        #expect(broker.log.utf8.count <= 16_384)
        broker.program.boundLog()
        #expect(broker.log.isEmpty)
        await broker.stop()
    }

    @Test("It answers on a port of its own and is gone after stop")
    func startsAndStops() async throws {
        let first = try await EmbeddedBroker.start()
        let second = try await EmbeddedBroker.start()
        #expect(first.port != second.port)
        #expect(first.url == "mqtt://127.0.0.1:\(first.port)")
        #expect(LoopbackPort.accepts(port: first.port))
        await first.stop()
        #expect(!LoopbackPort.accepts(port: first.port))
        #expect(LoopbackPort.accepts(port: second.port))
        await second.stop()
    }

    @Test("It is found to be up on a machine with many other listeners")
    func manyListeners() async throws {
        let descriptors = (0..<300).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for descriptor in descriptors { close(descriptor) } }
        // Without a name each gets a free port.
        for descriptor in descriptors { #expect(listen(descriptor, 1) == 0) }
        let broker = try await EmbeddedBroker.start()
        await broker.stop()
    }

    @Test("It comes back on the same port after a kill")
    func restartsAfterKill() async throws {
        let broker = try await EmbeddedBroker.start()
        let port = broker.port
        broker.kill()
        await broker.ended()
        #expect(!LoopbackPort.accepts(port: port))
        try await broker.restart()
        #expect(broker.port == port)
        #expect(LoopbackPort.accepts(port: port))
        await broker.stop()
    }

    @Test("A paused broker can be stopped")
    func stopsWhilePaused() async throws {
        let broker = try await EmbeddedBroker.start()
        broker.pause()
        await broker.stop()
        #expect(!LoopbackPort.accepts(port: broker.port))
    }

    @Test("A damaged database is moved aside, with a note")
    func movesDamagedDatabaseAside() async throws {
        try Data([0x00, 0xB5, 0x00]).write(to: URL(filePath: folder.path + "/mosquitto.db"))
        let notes = Mutex<[String]>([])
        let configuration = EmbeddedBrokerConfiguration(persistenceDirectory: folder.path) { note in
            notes.withLock { $0.append(note) }
        }
        let broker = try await EmbeddedBroker.start(configuration)
        #expect(LoopbackPort.accepts(port: broker.port))
        await broker.stop()
        #expect(notes.withLock { $0.count } == 1)
        #expect(folder.names.contains { $0.hasPrefix("mosquitto.db.damaged-") })
    }

    @Test("A configuration that the broker refuses is an error with its log")
    func reportsRefusal() async throws {
        let configuration = EmbeddedBrokerConfiguration(extraLines: ["no_such_option true"])
        await #expect(throws: BrokerError.self) { try await EmbeddedBroker.start(configuration) }
    }

    @Test("After stop it cannot be restarted")
    func refusesRestartAfterStop() async throws {
        let broker = try await EmbeddedBroker.start()
        await broker.stop()
        await #expect(throws: BrokerError.stopped) { try await broker.restart() }
    }

    @Test("One that is stopped or killed while it starts again is gone", arguments: [true, false])
    func endsWhileStarting(isStopped: Bool) async throws {
        let broker = try await EmbeddedBroker.start()
        broker.kill()
        await broker.ended()
        async let again: Void = broker.restart()
        await until { LoopbackPort.accepts(port: broker.port) }
        if isStopped { await broker.stop() } else { broker.kill() }
        await broker.ended()
        #expect(!LoopbackPort.accepts(port: broker.port))
        // Whether it was up just before decides what its starter hears.
        try? await again
        #expect(!LoopbackPort.accepts(port: broker.port))
        await broker.stop()
    }

    @Test("Browsers are served the page on a port of its own, and a page port that is taken is told by its number")
    func page() async throws {
        try folder.write("index.html", "<title>the page</title>")
        let first = try await EmbeddedBroker.start(
            EmbeddedBrokerConfiguration(page: PageListener(directory: folder.path)))
        let url = try #require(first.page.flatMap { URL(string: $0.url) })
        #expect(String(decoding: try Data(contentsOf: url), as: UTF8.self).contains("the page"))
        let port = try #require(url.port)
        await #expect(throws: BrokerError.portTaken(port)) {
            _ = try await EmbeddedBroker.start(
                EmbeddedBrokerConfiguration(page: PageListener(port: port, directory: folder.path)))
        }
        await first.stop()
        #expect(!LoopbackPort.accepts(port: port))
    }

    @Test("A port that somebody listens on is told by its number")
    func portTaken() async throws {
        let first = try await EmbeddedBroker.start()
        await #expect(throws: BrokerError.portTaken(first.port)) {
            _ = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration(port: first.port))
        }
        await first.stop()
    }

    @Test("A port that somebody took in the meantime is told from other failures")
    func takenMeanwhile() async throws {
        let first = try await EmbeddedBroker.start()
        let second = try EmbeddedBroker(EmbeddedBrokerConfiguration(port: first.port))
        let error = await #expect(throws: BrokerError.self) { try await second.restart() }
        #expect(error?.description.contains("Address already in use") == true)
        await first.stop()
    }

    @Test("It listens on the loopback address alone, with the limits of its configuration")
    func text() {
        let configuration = EmbeddedBrokerConfiguration(
            port: 1_234, persistenceDirectory: "/data", extraLines: ["max_connections 9"])
        let lines = configuration.text(isRoot: true).split(separator: "\n")
        #expect(lines.contains("listener 1234 127.0.0.1"))
        #expect(lines.contains("max_queued_messages 1000000"))
        #expect(lines.contains("persistence_location /data/"))
        #expect(lines.contains("user root"))
        #expect(lines.last == "max_connections 9")
    }
}
