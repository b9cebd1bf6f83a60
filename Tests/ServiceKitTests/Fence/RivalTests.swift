import Testing
import Wire

@testable import ServiceKit

@Suite("Who is a rival")
struct RivalTests {
    private static func partitions(_ numbers: some Sequence<Int>) throws -> [Partition] {
        try numbers.map { try Partition(number: $0) }
    }

    @Test("Who keeps other partitions, or is this instance before its restart, is no rival")
    func claims() throws {
        let own = StoreClaim(store: .max, partitions: try Self.partitions(0...15))
        for (other, isRival) in [
            (StoreClaim(store: 7), true), (own, false),
            (StoreClaim(store: 7, partitions: try Self.partitions(16...63)), false),
            (StoreClaim(store: 7, partitions: try Self.partitions([15, 40])), true),
        ] {
            let heard = try ServiceHealth(
                json: ServiceHealth(t: 1, service: .counter, counters: other.counters).encodedJSON())
            #expect(StoreClaim(heard) == other)
            var view = RivalView(own: own)
            view.take(health: heard, isRetained: true)
            #expect(!view.isDoubtful && !view.hasSpoken)
            Array("online".utf8).withUnsafeBytes { view.take(status: $0) }
            #expect(view.isDoubtful == isRival && !view.hasSpoken)
            view.take(health: heard, isRetained: false)
            #expect(view.hasSpoken == isRival)
        }
    }

    @Test("Of two that run already, the one with the greater number yields to the other's live word")
    func yields() throws {
        for (own, other, isToYield) in [(1, 2, false), (2, 1, true), (2, 2, false)] as [(UInt64, UInt64, Bool)] {
            let health = ServiceHealth(t: 1, service: .ingest, counters: StoreClaim(store: other).counters)
            var view = RivalView(own: StoreClaim(store: own))
            view.take(health: health, isRetained: true)
            #expect(!view.isToYield)
            view.take(health: health, isRetained: false)
            #expect(view.isToYield == isToYield)
        }
    }

    @Test("Somebody who is online and tells no store is doubted, and is no rival until it tells one")
    func unknown() throws {
        var view = RivalView(own: StoreClaim(store: 1))
        Array("online".utf8).withUnsafeBytes { view.take(status: $0) }
        #expect(view.isDoubtful)
        view.take(
            health: ServiceHealth(t: 1, service: .counter, counters: []), isRetained: false)
        #expect(view.isDoubtful && !view.hasSpoken)
        Array("offline".utf8).withUnsafeBytes { view.take(status: $0) }
        #expect(!view.isDoubtful)
    }
}
