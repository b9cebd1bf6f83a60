import Seeded
import Testing
import Wire

@testable import History

@Suite("Leases on notices", .timeLimit(.minutes(5)))
struct LiveLeaseTests {
    let watch: DeviceID
    let folder: TemporaryFolder
    static let minute: Int64 = 29_919_900
    static let now = minute * 60 + 20

    init() throws {
        watch = try DeviceID("watch-3")
        folder = try TemporaryFolder()
    }

    @Test("A notice is due at n, 2n, 3n, and a correction downward takes none back and adds none")
    func multiples() throws {
        var lease = LiveLease(offer(every: 10), counted: 0, nowSeconds: Self.now)
        for (steps, reached) in [(9, 0), (1, 1), (25, 3), (-20, 3), (19, 3), (1, 3), (5, 4)] as [(Int64, Int64)] {
            var change = Counts()
            change.steps = steps
            lease.add(change, toMinute: Self.minute)
            #expect(lease.reached == reached)
        }
    }

    @Test("What was done before the lease is not counted, however late it comes")
    func earlier() {
        var lease = LiveLease(offer(every: 1), counted: 0, nowSeconds: Self.now)
        var change = Counts()
        change.steps = 500
        lease.add(change, toMinute: Self.minute - 1)
        #expect(lease.counted == 0)
        #expect(lease.reached == 0)
    }

    @Test(
        "Rows in any order, again and again, and history started anew give each number once",
        arguments: StoreKind.available, 1...10 as ClosedRange<UInt64>)
    func anyOrder(kind: StoreKind, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var store = try await folder.store(kind)
        _ = try await store.keep([row(0, revision: 1, steps: 70)])
        let begun = try await store.startLease(offer(every: 7), nowSeconds: Self.now)
        #expect(begun?.counted == 0)
        var rows = (2...120 as ClosedRange<UInt64>).map { revision in
            // Within a minute a greater revision has more steps.
            row(Int64(revision % 5), revision: revision, steps: 70 + UInt32(revision) * 2)
        }
        let newest = Dictionary(grouping: rows, by: \.minute).values.compactMap { $0.max { $0.revision < $1.revision } }
        let total = newest.reduce(0) { $0 + Int64($1.steps) } - 70
        rows += rows.shuffled(using: &random).prefix(40)
        rows.shuffle(using: &random)
        var numbers: [Int64] = []
        for start in stride(from: 0, to: rows.count, by: 11) {
            let outcome = try await store.keep(Array(rows[start..<min(start + 11, rows.count)]))
            let due = try await store.dueLeases(limit: 10)
            if outcome.appliedRows > 0 { #expect(outcome.hasNotices == !due.isEmpty) }
            if Int.random(in: 0..<4, using: &random) == 0 {
                await store.close()
                store = try await folder.store(kind)
            }
            for lease in due where Bool.random(using: &random) {
                numbers += lease.sent + 1...lease.reached
                try await store.noteSent(lease, number: lease.reached)
            }
        }
        for lease in try await store.dueLeases(limit: 10) { numbers += lease.sent + 1...lease.reached }
        #expect(numbers == Array(1...total / 7))
    }

    @Test(
        "The same wish again renews a lease and loses nothing; another one takes its place",
        arguments: StoreKind.available)
    func renewal(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.startLease(offer(every: 10), nowSeconds: Self.now)
        _ = try await store.keep([row(0, revision: 1, steps: 15)])
        var again = offer(every: 10)
        again.transaction = "later"
        again.startMinute += 3
        let renewed = try #require(try await store.startLease(again, nowSeconds: Self.now + 200))
        #expect(renewed.counted == 15)
        #expect(renewed.expiresSeconds == Self.now + 200 + LiveLimits.defaultLeaseSeconds)
        #expect(try await store.dueLeases(limit: 9).map(\.transaction) == ["later"])
        let other = try #require(try await store.startLease(offer(every: 5), nowSeconds: Self.now))
        #expect(other.counted == 0)
        #expect(try await store.dueLeases(limit: 9) == [])
    }

    @Test(
        "A lease from an earlier time counts what was done since then, and gives no notice of that",
        arguments: StoreKind.available)
    func from(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([row(-10, revision: 1, steps: 99), row(-5, revision: 2, steps: 25)])
        var early = offer(every: 10)
        early.startMinute -= 5
        early.saysStart = true
        let lease = try #require(try await store.startLease(early, nowSeconds: Self.now))
        #expect(lease.counted == 25)
        #expect(lease.reached == 2)
        #expect(try await store.dueLeases(limit: 9) == [])
        _ = try await store.keep([row(-5, revision: 3, steps: 30)])
        #expect(try await store.dueLeases(limit: 9).map(\.reached) == [3])
    }

    @Test(
        "A lease that nobody renews ends by itself, one that history could not hear renewed does not",
        arguments: StoreKind.available)
    func expiry(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.startLease(offer(every: 1), nowSeconds: Self.now)
        let end = Self.now + LiveLimits.defaultLeaseSeconds
        #expect(try await store.endLeases(nowSeconds: end) == 0)
        try await store.prolongLeases(nowSeconds: end + 1000)
        #expect(try await store.endLeases(nowSeconds: end + 1) == 0)
        #expect(try await store.endLeases(nowSeconds: end + 1001 + LiveLimits.defaultLeaseSeconds) == 1)
        #expect(try await !store.stopLease(of: watch, topic: Array("stride/reply/app".utf8)))
    }

    @Test(
        "A lease that nobody hears is ended, unless it was renewed or replaced meanwhile",
        arguments: StoreKind.available)
    func unheard(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let lease = try #require(try await store.startLease(offer(every: 1), nowSeconds: Self.now))
        let renewed = try #require(try await store.startLease(offer(every: 1), nowSeconds: Self.now + 9))
        #expect(try await !store.endLease(lease))
        let replaced = try #require(try await store.startLease(offer(every: 2), nowSeconds: Self.now + 9))
        #expect(try await !store.endLease(renewed))
        #expect(try await store.endLease(replaced))
        #expect(try await !store.endLease(replaced))
    }

    @Test("More leases of a device than the limit are refused, renewals are not", arguments: StoreKind.available)
    func limit(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for number in 0..<LiveLimits.maximumLeasesADevice {
            let lease = try await store.startLease(offer(every: 1, topic: "stride/reply/\(number)"), nowSeconds: 0)
            #expect(lease != nil)
        }
        #expect(try await store.startLease(offer(every: 1, topic: "stride/reply/one-more"), nowSeconds: 0) == nil)
        #expect(try await store.startLease(offer(every: 1, topic: "stride/reply/7"), nowSeconds: 0) != nil)
        #expect(try await store.startLease(offer(every: 2, topic: "stride/reply/7"), nowSeconds: 0) != nil)
    }

    private func offer(every: Int64, topic: String = "stride/reply/app") -> LeaseOffer {
        LeaseOffer(
            device: watch, topic: Array(topic.utf8), correlationData: [0, 255], transaction: .number(4), counts: .steps,
            every: every, startMinute: Self.minute)
    }

    private func row(_ minute: Int64, revision: UInt64, steps: UInt32) -> MinuteTotals {
        var row = MinuteTotals(device: watch, minute: Self.minute + minute, epoch: 1, revision: revision)
        row.steps = steps
        return row
    }
}
