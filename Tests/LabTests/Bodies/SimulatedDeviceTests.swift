@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("A simulated device")
struct SimulatedDeviceTests {
    static let start: Int64 = 1_763_673_600_000_000

    static func device(
        _ actor: SimulatedActor, rateHz: Double = 50, seed: UInt64 = 1, sampling: SimulatedSampling? = nil
    ) throws -> SimulatedDevice {
        SimulatedDevice(
            id: try DeviceID("thing-1"), actor: actor, sampling: sampling ?? SimulatedSampling(rateHz: rateHz),
            startMicroseconds: start, seed: seed)
    }

    static let actors: [SimulatedActor] = [
        .frameRider(RidePlan(), BikeMount()), .crankRider(RidePlan(), BikeMount()),
        .walker(WalkPlan(), .wrist), .walker(WalkPlan(), .pocket), .walker(WalkPlan(), .hip),
    ]

    @Test("The same seed gives the same frames and events, another seed gives others", arguments: actors)
    func determinism(actor: SimulatedActor) throws {
        var first = try Self.device(actor)
        var second = try Self.device(actor)
        var other = try Self.device(actor, seed: 2)
        let recorded = Recorded(&first, frames: 20)
        let again = Recorded(&second, frames: 20)
        let isSameSignal = recorded.frames == again.frames
        #expect(isSameSignal)
        let isSame = recorded.events == again.events
        #expect(isSame)
        let isOther = Recorded(&other, frames: 20).frames != recorded.frames
        #expect(isOther)
    }

    @Test("What happens does not depend on how it is sampled", arguments: actors)
    func truthIsIndependentOfRate(actor: SimulatedActor) throws {
        var slow = try Self.device(actor, rateHz: 12.5)
        var fast = try Self.device(actor, rateHz: 200)
        let fromSlow = Recorded(&slow, frames: 20)
        let fromFast = Recorded(&fast, frames: 20)
        let end = min(slow.nextFrameStartMicroseconds, fast.nextFrameStartMicroseconds) - 1_000_000
        let isSame =
            fromSlow.events.filter { $0.microseconds < end } == fromFast.events.filter { $0.microseconds < end }
        #expect(isSame)
    }

    @Test("Events come in order, and the counts are the numbers of events", arguments: actors)
    func eventsAndCounts(actor: SimulatedActor) throws {
        var device = try Self.device(actor)
        let recorded = Recorded(&device, frames: 40)
        let times = recorded.events.map(\.microseconds)
        let isOrdered = zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isOrdered)
        #expect(device.truth.steps == recorded.events.count { $0.kind == .step })
        #expect(device.truth.revolutions == recorded.events.count { $0.kind == .revolution })
        #expect(!recorded.events.isEmpty)
    }

    @Test("Frames are numbered from 0, follow each other without a gap and carry what was asked for")
    func frames() throws {
        let sampling = SimulatedSampling(rateHz: 104, frameSeconds: 0.5, sensors: .acceleration)
        var device = try Self.device(.walker(WalkPlan(), .hip), sampling: sampling)
        let recorded = Recorded(&device, frames: 20)
        for (index, frame) in recorded.frames.enumerated() {
            #expect(frame.identity == .sequenced(boot: device.boot, sequence: UInt64(index)))
            let expected = Self.start + Int64(index) * 52 * 9_615_385 / 1_000
            #expect(frame.time == .utc(microseconds: expected))
            #expect(frame.sampleCount == 52)
            #expect(frame.values.count == 52 * 3)
            let isFinite = frame.values.allSatisfy(\.isFinite)
            #expect(isFinite)
        }
    }

    @Test("A device without a clock tells the time since its start")
    func uptime() throws {
        var device = try Self.device(.walker(WalkPlan(), .hip), sampling: SimulatedSampling(hasClock: false))
        let recorded = Recorded(&device, frames: 3)
        #expect(
            recorded.frames.map(\.time) == [
                .uptime(microseconds: 0), .uptime(microseconds: 1_000_000), .uptime(microseconds: 2_000_000),
            ])
    }

    @Test(
        "The mean acceleration of whoever pedals or walks on the spot is gravity",
        arguments: [
            SimulatedActor.frameRider(RidePlan(), BikeMount()),
            .walker(WalkPlan(runProbability: 0), .pocket), .walker(WalkPlan(runProbability: 0), .hip),
        ])
    func gravity(actor: SimulatedActor) throws {
        var device = try Self.device(actor)
        let magnitudes = Recorded(&device, frames: 60).magnitudes
        #expect(abs(mean(magnitudes) - 9.81) < 0.8)
    }

    @Test("An arm that swings feels more than gravity, by no more than its centripetal acceleration")
    func swingingArm() throws {
        var device = try Self.device(.walker(WalkPlan(runProbability: 0), .wrist))
        let excess = mean(Recorded(&device, frames: 60).magnitudes) - 9.81
        // An arm of 0.7 m that swings by 0.4 rad 0.9 times a second: ω²·r is 1.8 m/s² at most in the mean.
        #expect((-0.2...1.8).contains(excess))
    }

    @Test("The noise of a sensor at rest is that of its data sheet")
    func sensorNoise() throws {
        let rest = RidePlan(script: [RideSegment(.rest, seconds: 1_000)])
        let mount = BikeMount(signalToNoise: 1e9, touchesPerMinute: 0)
        let sampling = SimulatedSampling(rateHz: 100, part: .mpu6050)
        var device = try Self.device(.frameRider(rest, mount), sampling: sampling)
        let recorded = Recorded(&device, frames: 60)
        let expected = 400e-6 * 9.80665 * 50.0.squareRoot()
        for axis in 0..<3 { #expect(abs(deviation(recorded.column(axis)) / expected - 1) < 0.1) }
    }

    @Test("Nonsense for a rate or a frame's length becomes something that fits a frame")
    func limits() {
        for rate in [-1, 0, Double.nan, .infinity, 1e9] {
            for seconds in [-1, 0, Double.nan, .infinity, 1e9] {
                let sampling = SimulatedSampling(rateHz: rate, frameSeconds: seconds, sensors: [])
                #expect((1...FrameLimits.maximumSamples).contains(sampling.samplesPerFrame))
                #expect((FrameLimits.minimumRateHz...FrameLimits.maximumRateHz).contains(sampling.rateHz))
                #expect(sampling.sensors == .acceleration)
            }
        }
    }
}
