import Foundation
import MQTT
import Seeded
import ServiceKit
import Testing
import Wire

@testable import Counter

@Suite("Partitions that move between counters", .timeLimit(.minutes(5)))
struct PartitionMoveTests {
    private let folders: [TemporaryFolder]
    private let names: [DeviceID]

    init() throws {
        folders = try [TemporaryFolder(), TemporaryFolder()]
        names = [try DeviceID("counter-a"), try DeviceID("counter-b")]
    }

    private func counter(_ index: Int, _ bus: SharedBus, partitions: String = "none") throws -> RunningCounter {
        var limits = CounterLimits()
        (limits.drainMilliseconds, limits.healthSeconds) = (20, 1)
        return RunningCounter(
            CounterConfiguration(
                bus: BusSettings(endpoint: try MQTTEndpoint(bus.broker.url), topics: bus.topics),
                directory: folders[index].path, partitions: try PartitionRange(partitions), name: names[index],
                limits: limits))
    }

    /// Four walkers of different partitions, and what one counter makes of them.
    private func walkers() throws -> (walkers: [Walk], truth: [CountingRun.Minute: Int64]) {
        let walkers = try ["walker-1", "walker-2", "watch-3", "phone-4"].map { try Walk($0) }
        var run = CountingRun()
        for walker in walkers { run.count(walker.records(seconds: 0..<90)) }
        run.finish()
        return (walkers, run.totals.mapValues { $0[.steps] })
    }

    @Test(
        "What moves there and back, with a kill at any time, is counted once", arguments: 1...4 as ClosedRange<UInt64>)
    func seeded(seed: UInt64) async throws {
        let (walkers, truth) = try walkers()
        var random = SeededGenerator(seed: seed)
        try await SharedBus.with { bus in
            var counters = [try counter(0, bus, partitions: "0-63"), try counter(1, bus)]
            await bus.wait { $0.owners.count == 64 && $0.names.count == 2 }
            var second = 0
            while second < 90 {
                let end = min(90, second + Int.random(in: 5...20, using: &random))
                for walker in walkers { try await bus.publish(walker.records(seconds: second..<end)) }
                second = end
                let heir = Int.random(in: 0...1, using: &random)
                let walker = Partition(of: walkers[Int.random(in: 0..<4, using: &random)].device)
                try await bus.move(PartitionRange([walker]), to: names[heir], from: names[1 - heir])
                // The kill comes at whichever step of the move that is; what is waited for below does not depend on it.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &random)))
                let victim = Int.random(in: 0...1, using: &random)
                await counters[victim].kill()
                counters[victim] = try counter(victim, bus)
            }
            await bus.wait { heard in
                truth.allSatisfy { heard.steps[$0.key] == $0.value } && heard.owners.count == 64
            }
            #expect(bus.now.steps.filter { $0.value != 0 } == truth.filter { $0.value != 0 })
            #expect(bus.now.owners.values.allSatisfy { $0.count == 1 })
            for counter in counters { try await counter.stop() }
        }
    }

    @Test("A call is answered once, and the connection that it came over goes on")
    func called() async throws {
        try await SharedBus.with { bus in
            let counter = try counter(0, bus, partitions: "0-63")
            await bus.wait { $0.owners.count == 64 }
            let before = bus.now.statusCount
            for _ in 0..<10 {
                let count = bus.now.statusCount
                try await bus.call()
                await bus.wait { $0.statusCount > count }
            }
            try await counter.stop()
            await bus.wait { $0.names.isEmpty }
            // The end, and what it says by itself at the start, come on top.
            #expect((10..<20).contains(bus.now.statusCount - before))
            // A call that was not acknowledged would come again, at the next connection.
            let connections = bus.broker.log.split(separator: "\n").filter {
                $0.contains("New client connected") && $0.contains("-counter-a-in ")
            }
            #expect(connections.count == 1)
        }
    }

    @Test("A counter that is to own what another one counts ends, and names it")
    func claimed() async throws {
        try await SharedBus.with { bus in
            let first = try counter(0, bus, partitions: "0-31")
            await bus.wait { $0.owners.count == 32 }
            let second = try counter(1, bus, partitions: "30-40")
            #expect(await second.error as? CounterError == .alreadyOwned(partitions: "30-31", by: "counter-a"))
            try await first.stop()
        }
    }

    @Test("A part that comes again, or of another try, changes nothing")
    func repeatedParts() async throws {
        let store = try CounterStore(directory: folders[0].path)
        let partition = try Partition(number: 7)
        _ = try await store.partitions(first: try PartitionRange("none"))
        func part(_ number: Int, isLast: Bool, attempt: String) -> HandoverPart {
            HandoverPart(
                partition: partition, move: "m", attempt: attempt, number: number, isLast: isLast, revision: 5, rows: []
            )
        }
        func receive(_ part: HandoverPart) async throws -> CounterStore.Received {
            try await store.receive(part)
        }
        #expect(try await receive(part(1, isLast: true, attempt: "x")) == .incomplete)
        #expect(try await receive(part(0, isLast: false, attempt: "y")) == .incomplete)
        #expect(try await receive(part(0, isLast: false, attempt: "y")) == .incomplete)
        #expect(try await receive(part(1, isLast: true, attempt: "y")) == .taken(devices: 0, recent: []))
        #expect(try await receive(part(0, isLast: false, attempt: "y")) == .known)
        #expect(try await store.partitions(first: .all).owned == PartitionRange([partition]))
        #expect(try await store.lastRevision() == 5)
        try store.close()
    }

    /// A move without a bus.
    private func move(
        _ partition: Partition, from owner: CounterStore, to heir: CounterStore, named name: DeviceID
    ) async throws {
        _ = try await owner.release(LeavingPartition(partition: partition, heir: name, move: "m"))
        var (rows, revision): ([UInt8], UInt64) = ([], 0)
        for device in try await owner.devicesToHandOver(partition) {
            let (pieces, newest) = try await owner.rowsToHandOver(device)
            (rows, revision) = (rows + pieces.flatMap(\.self), newest)
        }
        let part = HandoverPart(
            partition: partition, move: "m", attempt: "1", number: 0, isLast: true, revision: revision, rows: rows)
        _ = try await heir.receive(part)
        try await owner.finish("m", of: partition)
    }
}
