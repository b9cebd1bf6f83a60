import ServiceKit
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("Partitions that another counter takes over", .timeLimit(.minutes(5)))
struct AdoptionTests {
    private let folders = [TemporaryFolder(), TemporaryFolder()]

    private func configuration(_ index: Int, _ bus: TestBus, _ partitions: String) throws -> CounterConfiguration {
        var configuration = bus.configuration(folders[index].path)
        configuration.partitions = try PartitionRange(setting: partitions)
        return configuration
    }

    /// Runs a counter until it has told of so many frames.
    private func count(_ configuration: CounterConfiguration, _ bus: TestBus, until frames: UInt64) async throws {
        let counter = RunningGroup(configuration)
        await bus.wait { $0.health?["accepted"] == frames }
        try await counter.stop()
    }

    /// Four walkers of different partitions, and what one counter makes of them.
    private func walkers() throws -> (walkers: [Walk], truth: [CountingRun.Minute: Int64]) {
        let lower = try PartitionRange(setting: "0-31")
        let all: [Walk] = (1...40).map { Walk("walker-\($0)") }
        let walkers = [true, false].flatMap { half in
            all.filter { lower.contains(Partition(of: $0.device)) == half }.prefix(2)
        }
        var run = CountingRun()
        for walker in walkers { run.count(walker.records(seconds: 0..<90)) }
        run.finish()
        return (walkers, run.totals.mapValues { $0[.steps] }.filter { $0.value > 0 })
    }

    @Test("What two counters divide, and one takes back, is counted as by one")
    func divided() async throws {
        let (walkers, truth) = try walkers()
        let upper = try PartitionRange(setting: "32-63")
        let moving = walkers.filter { upper.contains(Partition(of: $0.device)) }.count
        try #require(0 < moving && moving < 4)
        try await TestBus.with { bus in
            let whole = try configuration(0, bus, "0-63")
            let (lower, other) = (try configuration(0, bus, "0-31"), try configuration(1, bus, "32-63"))
            let first = RunningGroup(whole)
            await bus.wait { $0.status.last == "online" }
            for walker in walkers { try await bus.publish(walker.records(seconds: 0..<30)) }
            await bus.wait { $0.health?["accepted"] == 120 }
            try await first.stop()

            // What came since would be lost with the session of the counter.
            try await bus.publish(walkers[0].records(seconds: 30..<31))
            await #expect(throws: SettingError.self) { try await CounterAdoption(other, from: whole.directory).run() }
            try await count(whole, bus, until: 1)
            #expect(try await CounterAdoption(other, from: whole.directory).run() == moving)
            #expect(try await CounterAdoption(other, from: whole.directory).run() == 0)
            let wrong = RunningGroup(whole)
            #expect(
                await wrong.error as? CounterError
                    == .otherPartitions(path: folders[0].path + "/counter.sqlite", own: "0-31", wanted: "0-63"))

            let counters = [RunningGroup(lower), RunningGroup(other)]
            await bus.wait { $0.shares.values.filter { $0 == "online" }.count == 2 }
            for walker in walkers {
                let start = walker.device == walkers[0].device ? 31 : 30
                try await bus.publish(walker.records(seconds: start..<60), to: [lower.partitions, other.partitions])
            }
            await bus.wait { $0.healthOfShares.values.reduce(0) { $0 + ($1["accepted"] ?? 0) } == 119 }
            for counter in counters { try await counter.stop() }

            #expect(try await CounterAdoption(whole, from: other.directory).run() == moving)
            let births = bus.now.status.count
            let last = RunningGroup(whole)
            await bus.wait { $0.status.count > births && $0.status.last == "online" }
            for walker in walkers { try await bus.publish(walker.records(seconds: 60..<90)) }
            await bus.wait { heard in heard.rows.mapValues { Int64($0.steps) }.filter { $0.value > 0 } == truth }
            try await last.stop()
        }
    }
}
