import Foundation
import Logging
@testable import PrivateBroker
@testable import ServiceKit
import ServiceLifecycle
import TestBroker
import Testing
import Watched
import Wire

@Suite("What systemd is told", .timeLimit(.minutes(5)))
struct SupervisorTests {
    private let folder = TemporaryFolder()

    private let start = ContinuousClock.now
    private let services: [ServiceName] = [.counter, .history]

    private func status(watchdogSeconds: Double? = 60) -> SupervisorStatus {
        SupervisorStatus(services: services, startedAt: start, watchdogSeconds: watchdogSeconds)
    }

    private func states(
        isReading: Bool, counterAt counterSeconds: Double?, historyAt historySeconds: Double?
    ) -> [ServiceName: ServiceProgress.State] {
        var states: [ServiceName: ServiceProgress.State] = [:]
        for (service, seconds) in [(ServiceName.counter, counterSeconds), (.history, historySeconds)] {
            states[service] = ServiceProgress.State()
            states[service]?.isReading = isReading
            states[service]?.lastProgress = seconds.map { start + .seconds($0) }
        }
        return states
    }

    @Test("Ready is said once, when every service reads")
    func ready() {
        var status = status(watchdogSeconds: nil)
        #expect(status.messages([:], now: start).isEmpty)
        #expect(
            status.messages(states(isReading: true, counterAt: 1, historyAt: nil), now: start + .seconds(1)).isEmpty)
        let all = states(isReading: true, counterAt: 1, historyAt: 2)
        #expect(status.messages(all, now: start + .seconds(2)) == ["READY=1\nSTATUS=counting"])
        #expect(status.messages(all, now: start + .seconds(3)).isEmpty)
    }

    @Test("Services that wait for their broker count as started after a while, and those that read their log do not")
    func patience() {
        var status = status()
        let waiting = states(isReading: false, counterAt: 19, historyAt: 19)
        #expect(status.messages(waiting, now: start + .seconds(19)).isEmpty)
        let logged = states(isReading: true, counterAt: nil, historyAt: 60)
        #expect(status.messages(logged, now: start + .seconds(60)).isEmpty)
        let later = states(isReading: false, counterAt: 20, historyAt: 20)
        #expect(
            status.messages(later, now: start + .seconds(20))
                == ["READY=1\nSTATUS=started, waits for its broker", "WATCHDOG=1"])
    }

    @Test("One service that is stuck ends the signs of life, however lively the other is")
    func stuck() {
        var status = status(watchdogSeconds: 60)
        _ = status.messages(states(isReading: true, counterAt: 0, historyAt: 0), now: start)
        let lively = states(isReading: true, counterAt: 95, historyAt: 99)
        #expect(status.messages(lively, now: start + .seconds(100)) == ["WATCHDOG=1"])
        let stuck = states(isReading: true, counterAt: 40, historyAt: 99)
        #expect(status.messages(stuck, now: start + .seconds(100)).isEmpty)
    }

    @Test("The words go to the socket as datagrams, and the last one says that the process stops")
    func datagrams() async throws {
        let path = folder.path + "/notify"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        // Both of them report: what is told is what the process knows of its services.
        for service in services {
            ServiceProgress.noteReading(service)
            ServiceProgress.note(service)
        }
        let supervisor = Supervisor(socket: path, services: services, watchdogSeconds: 60)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [supervisor], logger: .init(label: "test")))
        async let run: Void = group.run()
        #expect(try await receive(descriptor) == "READY=1\nSTATUS=counting")
        #expect(try await receive(descriptor) == "WATCHDOG=1")
        await group.triggerGracefulShutdown()
        try await run
        var last = ""
        while last != "STOPPING=1" { last = try await receive(descriptor) }
    }

    @Test("A file is touched as long as the services go on, for who knows a container's health by it")
    func aliveFile() async throws {
        let path = try folder.write("alive", "")
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
        ServiceProgress.noteReading(.ingest)
        ServiceProgress.note(.ingest)
        let supervisor = Supervisor(socket: nil, aliveFile: path, services: [.ingest], watchdogSeconds: nil)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [supervisor], logger: .init(label: "test")))
        async let run: Void = group.run()
        await until {
            let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            return date.map { $0.timeIntervalSinceNow > -60 } ?? false
        }
        await group.triggerGracefulShutdown()
        try await run
    }

    @Test("A program that says more than a pipe holds, on both streams, is read to its end")
    func talkative() throws {
        let script = "head -c 300000 /dev/zero | tr '\\0' e >&2; head -c 300000 /dev/zero | tr '\\0' o; cat >/dev/null"
        let printed = try SystemProgram.run(
            "sh", package: "dash", ["-c", script], input: String(repeating: "i", count: 300_000))
        #expect(printed.count == 300_000)
        #expect(throws: BrokerError.self) {
            try SystemProgram.run("sh", package: "dash", ["-c", "head -c 300000 /dev/zero >&2; exit 3"])
        }
    }

    /// The next datagram; an error after a minute without one.
    private func receive(_ descriptor: Int32) async throws -> String {
        try await Task.detached {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&wait, 1, 60_000) == 1)
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }.value
    }
}
