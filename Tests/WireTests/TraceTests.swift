import Seeded
import Testing

@testable import Wire

/// The seconds of a minute, as they are kept.
struct TraceTests {
    private static func trace(_ seed: UInt64, _ channels: [Trace.Channel], missing: Int, jitter: Int) -> Trace {
        var random = SeededGenerator(seed: seed)
        var trace = Trace()
        for channel in channels {
            var value = Int(random.next() % 400)
            for second in 0..<Trace.seconds where Int(random.next() % 100) >= missing {
                value = min(max(0, value + Int(random.next() % UInt64(2 * jitter + 1)) - jitter), 4_095)
                trace[channel, second] = value
            }
        }
        return trace
    }

    @Test(
        "What is packed reads back, whatever is known and however much it changes", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let channels = Trace.Channel.allCases.prefix(Int(seed % 3) + 1)
        let jitter = [0, 1, 3, 10, 100, 5_000][Int(seed / 3 % 6)]
        var trace = Self.trace(seed, Array(channels), missing: [0, 10, 60, 99][Int(seed / 18 % 4)], jitter: jitter)
        trace.isOfSteps = seed % 2 == 1
        let packed = trace.packed
        #expect(packed.count <= Trace.maximumPackedBytes)
        let read = try #require(Trace(packed: packed))
        let rests = trace.sum(.cadence).maximum == 0
        for channel in Trace.Channel.allCases where !(rests && channel == .cadence) {
            for second in 0..<Trace.seconds { #expect(read[channel, second] == trace[channel, second]) }
        }
    }

    @Test("Where nothing moves a second takes 1.5 bits at most, with cadence, power and heart rate")
    func still() {
        var trace = Trace()
        for second in 0..<Trace.seconds {
            (trace[.cadence, second], trace[.power, second], trace[.heart, second]) = (85, 180, 142)
        }
        #expect(trace.packed.count * 8 <= Trace.seconds * 3 / 2)
    }

    @Test("A rider's minute takes less than 110 bytes, and one with a cadence alone less than 40")
    func ride() {
        let ride = Self.trace(7, [.cadence, .power, .heart], missing: 0, jitter: 8)
        let cadence = Self.trace(8, [.cadence], missing: 0, jitter: 2)
        #expect(ride.packed.count < 110 && cadence.packed.count < 40)
    }

    @Test("A second told again replaces what was known; one that is known is not filled")
    func mergeAndFill() {
        var (old, new) = (Trace(), Trace())
        (old[.power, 3], new[.power, 3], new[.power, 4]) = (100, 200, 210)
        var merged = old
        merged.merge(new)
        var filled = old
        filled.fill(new)
        #expect(merged[.power, 3] == 200 && merged[.power, 4] == 210)
        #expect(filled[.power, 3] == 100 && filled[.power, 4] == 210)
        merged.merge(new)
        #expect(merged.sum(.power) == RateSum(integral: 410, seconds: 2, minimum: 200, maximum: 210))
    }

    @Test("Steps do not fill the gaps of a crank's cadence")
    func kinds() {
        var (crank, steps) = (Trace(), Trace())
        crank[.cadence, 0] = 80
        (steps[.cadence, 1], steps.isOfSteps, steps[.heart, 1]) = (110, true, 130)
        crank.fill(steps)
        #expect(crank[.cadence, 1] == nil && !crank.isOfSteps && crank[.heart, 1] == 130)
    }

    @Test("Bytes that are no trace are refused, and end nothing", arguments: 0..<500 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int(random.next() % 700)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        guard let trace = Trace(packed: bytes) else { return }
        #expect(Trace(packed: trace.packed) != nil)
        var damaged = Self.trace(seed, Trace.Channel.allCases, missing: 20, jitter: 9).packed
        damaged[Int(random.next() % UInt64(damaged.count))] ^= 1 << UInt8(random.next() % 8)
        _ = Trace(packed: damaged)
        _ = Trace(packed: Array(damaged.prefix(Int(random.next() % UInt64(damaged.count)))))
    }
}
