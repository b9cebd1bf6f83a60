#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Seeded
import Motion
@testable import Bodies
import Lab
import Testing

@Suite("The magnetic field of a ride")
struct MagneticRideTests {
    private static let movement: Motion.SensorSet = [.acceleration, .angularVelocity]
    private static let nineAxes: Motion.SensorSet = [.acceleration, .angularVelocity, .magneticField]
    private static let crankMagnet = BikeMagnets(crank: .init())
    private static let wheelMagnet = BikeMagnets(flywheel: .init(radiusMetres: 0.2))
    private static let onCrank = MotionConfiguration(kind: .bike, placement: .crank)

    private static func ride(
        rpm: Double, mount: BikeMount, sensors: Motion.SensorSet, seed: UInt64, pedalSeconds: Double = 1_000
    ) throws -> (run: PipelineRun, truth: Int) {
        let plan = RidePlan(
            script: [RideSegment(.pedal(rpm: rpm), seconds: pedalSeconds), RideSegment(.rest, seconds: 1_000)],
            wanderRPM: 1)
        let ride = try SimulatedSignal(.frameRider(plan, mount), seconds: 100, sensors: sensors, seed: seed)
        return (PipelineRun(ride.samples, .frame), ride.revolutions)
    }

    /// The share of seconds with the right cadence, once that had time to settle.
    private static func rightShare(_ run: PipelineRun, rpm: Double) -> Double {
        let settled = run.seconds.dropFirst(25)
        return Double(settled.filter { abs(Double($0.cadenceRPM) - rpm) < 5 }.count) / Double(max(settled.count, 1))
    }

    @Test(
        "A crank magnet tells halves from whole revolutions where their difference drowns in noise",
        arguments: [75.0, 90, 105])
    func crankMagnet(rpm: Double) throws {
        var (with, without) = (0.0, 0.0)
        var (counted, truth) = (0, 0)
        for seed in UInt64(1)...4 {
            var mount = BikeMount(secondToFirstRatio: 10, signalToNoise: 0.5)
            let plain = try Self.ride(rpm: rpm, mount: mount, sensors: Self.movement, seed: seed)
            without += Self.rightShare(plain.run, rpm: rpm)
            mount.magnets = Self.crankMagnet
            let magnetic = try Self.ride(rpm: rpm, mount: mount, sensors: Self.nineAxes, seed: seed)
            with += Self.rightShare(magnetic.run, rpm: rpm)
            counted += magnetic.run.revolutions
            truth += magnetic.truth
        }
        // In such noise a ride may be found late; what counts is that it is not taken for twice as fast.
        #expect(with >= 4 * 0.9)
        #expect(with >= without - 0.2)
        #expect(abs(counted - truth) * 100 <= 12 * truth)
    }

    @Test(
        "A crank magnet delays no stop: the cadence is zero in time, or as soon as without", arguments: [45.0, 60, 90])
    func stops(rpm: Double) throws {
        var mount = BikeMount(secondToFirstRatio: 10, signalToNoise: 1)
        let plain = try Self.ride(rpm: rpm, mount: mount, sensors: Self.movement, seed: 4, pedalSeconds: 60)
        mount.magnets = Self.crankMagnet
        let magnetic = try Self.ride(rpm: rpm, mount: mount, sensors: Self.nineAxes, seed: 4, pedalSeconds: 60)
        let limit = 60 + max(3, 2.5 * 60 / rpm) + 1
        #expect(magnetic.run.lastActiveSecond <= max(plain.run.lastActiveSecond, limit))
    }

    @Test("A flywheel's magnet makes no cadence of its own, whatever its ratio", arguments: [2.0, 3, 4, 4.25, 4.5, 5])
    func flywheel(ratio: Double) throws {
        for rpm in [45.0, 60, 90] {
            let plain = BikeMount(secondToFirstRatio: 3, signalToNoise: 2, flywheelRatio: ratio)
            var magnetic = plain
            magnetic.magnets = Self.wheelMagnet
            let without = try Self.ride(rpm: rpm, mount: plain, sensors: Self.movement, seed: 5).run
            let with = try Self.ride(rpm: rpm, mount: magnetic, sensors: Self.nineAxes, seed: 5).run
            #expect(Self.rightShare(with, rpm: rpm) >= Self.rightShare(without, rpm: rpm) - 0.02)
        }
    }

    @Test("A flywheel that runs on while the pedals are still is not counted")
    func coasting() throws {
        let mount = BikeMount(magnets: Self.wheelMagnet)
        let (run, truth) = try Self.ride(rpm: 80, mount: mount, sensors: Self.nineAxes, seed: 6, pedalSeconds: 50)
        #expect(abs(run.revolutions - truth) <= 3)
        #expect(run.lastActiveSecond <= 50 + 4)
    }

    @Test("A magnetometer alone counts on the crank, and nothing on the frame", arguments: [30.0, 60, 90, 115])
    func alone(rpm: Double) throws {
        let plan = RidePlan(script: [RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: 1)
        let crank = try SimulatedSignal(
            .crankRider(plan, BikeMount()), seconds: 100, sensors: .magneticField, seed: UInt64(rpm))
        let run = PipelineRun(crank.samples, Self.onCrank)
        #expect(abs(run.revolutions - crank.revolutions) <= 2)
        #expect(Self.rightShare(run, rpm: rpm) >= 0.95)
        let frame = try SimulatedSignal(
            .frameRider(plan, BikeMount(magnets: Self.crankMagnet)), seconds: 100, sensors: .magneticField, seed: 7)
        #expect(PipelineRun(frame.samples, .frame).revolutions == 0)
    }

    @Test("A phone that is picked up, turned about and put back makes no revolutions by its field", arguments: 1...6)
    func pickedUp(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (earth, axis) = (SIMD3<Float>(20, 0, -44), generator.direction())
        let turns = Float.random(in: 0.3...2, using: &generator)
        let samples = (0..<3000).map { index in
            let second = Float(index) / 50
            // From the 20th to the 30th second the phone is in a hand.
            let turned = second < 20 || second > 30 ? 0 : 2 * Float.pi * turns * (second - 20) / 10
            let swing = cos(turned) * earth + sin(turned) * 40 * axis
            return MotionSample(
                timeMicroseconds: SyntheticSignal.startMicroseconds + Int64(index) * 20_000,
                acceleration: SIMD3(0, 0, 9.81) + generator.normal3() * 0.02,
                magneticField: swing + generator.normal3() * 0.6, sensors: [.acceleration, .magneticField])
        }
        #expect(PipelineRun(samples, .frame).revolutions == 0)
    }
}
