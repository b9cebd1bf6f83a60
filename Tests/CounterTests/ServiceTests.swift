import ServiceKit
import Foundation
import MQTT
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("The counter on a real broker", .timeLimit(.minutes(5)))
struct ServiceTests {
    private let folder = TemporaryFolder()
    private let walk = Walk()
    private let truth: CountingRun

    init() {
        truth = CountingRun(counting: walk.records(seconds: 0..<60))
    }

    /// The rows that history gets come to those of a run without any accident.
    private func expectTruth(_ bus: TestBus) async {
        await bus.wait { $0.covered == 60_000 && $0.steps == Int(truth.sum(.steps)) }
        let heard = bus.now
        #expect(heard.rows.count == truth.totals.count)
        for (minute, total) in truth.totals {
            #expect(heard.rows[minute].map { Int64($0.steps) } == total[.steps])
            #expect(heard.rows[minute].map { Int64($0.coveredMilliseconds) } == total[.covered] / 1000)
        }
    }

    @Test("Motion in, counts and cadence out; and the stop is in order")
    func wholeService() async throws {
        try await TestBus.with { bus in
            let counter = await bus.counter(folder.path)
            try await bus.publish(walk.records(seconds: 0..<60))
            await expectTruth(bus)
            await bus.wait { $0.cadences.last?.cadenceSPM == 0 }
            await bus.wait { $0.health?["accepted"] == 60 }
            let health = try #require(bus.now.health)
            #expect(health["received"] == 60 && health["motion_messages"] == 60)
            try await counter.stop()
            await bus.wait { $0.status.last == "offline" }
            #expect(try log.isEmpty, "a stop leaves nothing in the log")
        }
    }

    /// The files of the log.
    private var log: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") } }
    }

    @Test("A log that cannot be written stops the reading, and all is counted when there is room again")
    func fullDisk() async throws {
        try await TestBus.with { bus in
            let counter = await bus.counter(folder.path)
            let path = folder.path + "/counter-0000000000000001.log"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
            try await bus.publish(walk.records(seconds: 0..<60))
            await bus.wait { ($0.health?["commit_failures"] ?? 0) > 1 }
            let health = try #require(bus.now.health)
            // The first batch of a connection is empty, and another one may have the counter's own status.
            #expect(health["received"] == 0 && (health["acknowledged"] ?? 0) <= 2)
            #expect(bus.now.covered == 0 && bus.now.cadences.isEmpty)
            try FileManager.default.removeItem(atPath: path)
            await expectTruth(bus)
            try await counter.stop()
        }
    }

    @Test("A counter that ends mid-walk again and again, with nothing stored, gives the same rows")
    func cancelled() async throws {
        try await TestBus.with { bus in
            var counter = await bus.counter(folder.path)
            let records = walk.records(seconds: 0..<60)
            for start in stride(from: 0, to: 60, by: 15) {
                try await bus.publish(Array(records[start..<start + 15]))
                await bus.wait { $0.covered >= start * 1000 + 1000 }
                await counter.kill()
                counter = RunningGroup(bus.configuration(folder.path))
            }
            await expectTruth(bus)
            try await counter.stop()
        }
    }

    @Test("Bad messages are refused and counted, and everything else goes on")
    func badMessages() async throws {
        try await TestBus.with { bus in
            let counter = await bus.counter(folder.path)
            try await bus.publish(.motion(.all), [])
            try await bus.publish(.motion(.all), Array("junk".utf8))
            try await bus.publish(.resend, [1, 2, 3])
            try await bus.publish(.device(walk.device, .config), Array("{\"kind\":\"boat\"}".utf8), retain: true)
            try await bus.publish(walk.records(seconds: 0..<10))
            await bus.wait { $0.covered == 10_000 }
            await bus.wait { $0.health?["refused_messages"] == 3 }
            try await counter.stop()
        }
    }

    @Test("A configuration makes distance, and holds after a restart")
    func config() async throws {
        try await TestBus.with { bus in
            var counter = await bus.counter(folder.path)
            let json = Array("{\"kind\":\"wearable\",\"metres_per_stride\":1.5}".utf8)
            try await bus.publish(.device(walk.device, .config), json)
            try await bus.publish(walk.records(seconds: 0..<30))
            await bus.wait { $0.covered == 30_000 }
            await counter.kill()
            counter = RunningGroup(bus.configuration(folder.path))
            try await bus.publish(walk.records(seconds: 30..<60))
            await bus.wait { $0.covered == 60_000 && $0.cadences.last?.cadenceSPM == 0 }
            let row = try #require(bus.now.rows.values.first)
            #expect(row.steps > 90)
            #expect(row.distanceMillimetres == row.steps * 750)
            try await counter.stop()
        }
    }

    @Test("A second counter on the same directory ends with one line")
    func twins() async throws {
        try await TestBus.with { bus in
            let counter = await bus.counter(folder.path)
            let twin = RunningGroup(bus.configuration(folder.path))
            #expect(await twin.error as? CounterError == .store(.alreadyInUse(path: folder.path + "/counter.sqlite")))
            try await counter.stop()
        }
    }

    @Test(
        "Of two counters of one root and range the older one ends, with one line that says why",
        arguments: [MQTTVersion.v5, .v311], ["0-63", "0-31"])
    func takenOver(version: MQTTVersion, partitions: String) async throws {
        try await TestBus.with { bus in
            var configuration = bus.configuration(folder.path)
            configuration.bus.version = version
            configuration.bus.clientKey = "secret"
            configuration.partitions = try PartitionRange(setting: partitions)
            try #require(configuration.partitions.contains(Partition(of: walk.device)))
            let older = RunningGroup(configuration)
            await bus.wait { $0.status.last == "online" }
            configuration.directory += "/other"
            let newer = RunningGroup(configuration)
            #expect(await older.error as? ServiceConnectionError == .takenOver(.counter, root: "stride"))
            try await bus.publish(walk.records(seconds: 0..<60), to: [configuration.partitions])
            await expectTruth(bus)
            try await newer.stop()
        }
    }

    @Test(
        "A counter ends where another one has some of its partitions, and that one goes on",
        arguments: [("0-63", "32-63"), ("32-63", "0-63"), ("0-31", "31-40"), ("40-50", "41-45")])
    func overlapping(older: String, newer: String) async throws {
        try await TestBus.with { bus in
            var configuration = bus.configuration(folder.path)
            configuration.partitions = try PartitionRange(setting: older)
            let first = RunningGroup(configuration)
            await bus.wait { $0.shares.values.contains("online") }
            configuration.directory += "/other"
            configuration.partitions = try PartitionRange(setting: newer)
            let second = RunningGroup(configuration)
            #expect(await second.error as? CounterError == .partitionsInUse(own: newer, others: older))
            try await first.stop()
            let third = RunningGroup(configuration)
            let name = try #require(configuration.partitions.name)
            await bus.wait { $0.shares[name] == "online" }
            try await third.stop()
        }
    }

    @Test("A store that fails leaves what comes in the log, and all is counted when it works again")
    func failingStore() async throws {
        try await TestBus.with { bus in
            let counter = await bus.counter(folder.path)
            let blocker = try Blocker(directory: folder.path)
            try await bus.publish(walk.records(seconds: 0..<60))
            await bus.wait { ($0.health?["commit_failures"] ?? 0) > 0 }
            #expect(bus.now.covered == 0)
            try blocker.release()
            await expectTruth(bus)
            try await counter.stop()
        }
    }

    @Test("A stop while the store fails ends with its line in time, and the next counter counts all")
    func stopWhileFailing() async throws {
        try await TestBus.with { bus in
            var hasty = bus.configuration(folder.path)
            hasty.limits.stopSeconds = 1
            var counter = RunningGroup(hasty)
            await bus.wait { $0.status.last == "online" }
            let blocker = try Blocker(directory: folder.path)
            try await bus.publish(walk.records(seconds: 0..<60))
            await bus.wait { ($0.health?["commit_failures"] ?? 0) > 0 }
            await #expect(throws: CounterError.self) { try await counter.stop() }
            try blocker.release()
            counter = RunningGroup(bus.configuration(folder.path))
            await expectTruth(bus)
            try await counter.stop()
        }
    }
}

@Suite("What an operator may write")
struct ConfigurationTests {
    @Test(
        "Partitions are a range, or one", arguments: [("0-63", 64), ("0-15", 16), ("7", 1), ("63", 1)])
    func partitions(text: String, count: Int) throws {
        #expect(try PartitionRange(setting: text).partitions.count == count)
    }

    @Test(
        "Anything else is refused with advice",
        arguments: ["", "64", "3-1", "0-15/64", "0-3,8-11", "none", "a", "-1", "1-", "0-99999999999999999999"])
    func badPartitions(text: String) {
        #expect(throws: SettingError.self) { try PartitionRange(setting: text) }
    }
}
