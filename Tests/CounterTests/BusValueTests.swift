import Seeded
import TestBroker
import Testing

@testable import Counter
@testable import Wire

/// Numbers at and beyond every limit, in sequences. What devices send of them is among what the simulation's senders say.
@Suite("Values from the bus")
struct BusValueTests {
    private static let begin: Int64 = 1_795_194_000_000_000
    private static let configs = [
        #"{"kind":"wearable","height_m":2.5}"#, #"{"kind":"wearable","metres_per_stride":5,"day_start":"23:59"}"#,
        #"{"kind":"bike","metres_per_revolution":50,"zone":"Pacific/Kiritimati"}"#,
        #"{"kind":"bike","metres_per_revolution":0.1,"zone":"Pacific/Niue","day_start":"12:00"}"#,
        #"{"height_m":0.5,"zone":"Asia/Kathmandu"}"#, #"{"kind":"bike","height_m":1e308,"metres_per_revolution":-1}"#,
    ]

    @Test("What the hop carries beyond every limit traps nothing", arguments: 0..<UInt64(20))
    func extremesOfTheHop(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let numbers: [Int64] = [
            .min, .min + 1, -1 << 53, -1, 0, 1, 1 << 31, 1 << 32, Self.begin, Self.begin + 1, 1 << 53, 1 << 60,
            .max - 1,
            .max,
        ]
        func number() -> Int64 { numbers.randomElement(using: &random) ?? 0 }
        func time() -> FrameTime {
            [.absent, .utc(microseconds: number()), .uptime(microseconds: number())].randomElement(using: &random)
                ?? .absent
        }
        var run = CountingRun()
        let device: DeviceID = "odd"
        run.configure(device, try DeviceConfig(json: Array(Self.configs[Int(seed) % 5].utf8)))
        for index in 0..<400 {
            let identity = FrameIdentity.sequenced(
                boot: BootID(rawValue: UInt64(index / 9)), sequence: UInt64(bitPattern: number()))
            let contents: [MotionContent] = [
                .revolutions(
                    RevolutionCount(
                        identity: identity, time: time(), cumulative: UInt64(bitPattern: number()),
                        modulus: UInt64(bitPattern: number()), lastEventTime1024: 7)),
                .reading(
                    Reading(
                        .cadence, [.infinity, .nan, -1, 300, 1e30].randomElement(using: &random) ?? 0,
                        identity: identity, time: time())),
                .steps(
                    DeviceStepCount(
                        kind: [.interval, .day, .boot, .recording].randomElement(using: &random) ?? .day,
                        steps: UInt64(bitPattern: number()), microSteps: 999_999, startMicroseconds: number(),
                        endMicroseconds: number(), boot: BootID(rawValue: UInt64(index / 5)))),
                .activity(.walking, .high, atMicroseconds: number()), .refusal(.malformed, count: .max),
            ]
            let arrival = index % 7 == 0 ? number() : Self.begin + Int64(index) * 1_000_000
            run.count([
                MotionRecord(
                    device: device, arrivalMicroseconds: arrival,
                    content: contents.randomElement(using: &random) ?? .name("odd"))
            ])
            run.tick(Self.begin + Int64(index) * 1_000_000)
        }
        run.finish()
        #expect(run.sum(.steps) >= 0 && run.sum(.revolutions) >= 0)
    }

    @Test("Sums stop at their ceiling, and lengths cannot lift them over it")
    func ceiling() {
        let most = Quantity(.max)
        #expect(most.value == Quantity.ceiling && (most + most).value == Quantity.ceiling)
        #expect((most * most).value == Quantity.ceiling && (most * -1).value == -Quantity.ceiling)
        #expect(Quantity(.min).value == -Quantity.ceiling && (Quantity(.min) - most).value == -Quantity.ceiling)
        #expect(Quantity(rounding: .nan) == 0 && Quantity(rounding: .infinity).value == Quantity.ceiling)
        #expect(Quantity(3) * 7 - 1 == 20 && Quantity(rounding: 2.6) == 3)
    }
}
