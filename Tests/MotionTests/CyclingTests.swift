@testable import Bodies
import Lab
import Motion
import Seeded
import Testing

@Suite("Cycling")
struct CyclingTests {
    private static let cadences = [25.0, 40, 63, 85, 110]

    @Test(
        "A frame that shakes mostly at twice the crank's rate still tells the cadence",
        arguments: cadences, [Float(0), 1, 3, 5])
    func harmonics(rpm: Double, ratio: Float) {
        var signal = SyntheticSignal(jitter: 0.2, seed: 21)
        signal.pedal(seconds: 60, .init(rpm: rpm, ratio: ratio, signalToNoise: 3))
        signal.rest(seconds: 8, noise: 0.1)
        let run = PipelineRun(signal.samples, .frame)
        let settled = run.seconds.dropFirst(25).prefix(33)
        let right = settled.filter { abs(Double($0.cadenceRPM) - rpm) < 3 }
        #expect(right.count * 10 >= settled.count * 9)
        #expect(abs(Double(run.revolutions) - rpm) <= max(2, 0.06 * rpm))
        #expect(run.steps == 0)
    }

    @Test("The cadence is zero in time after stopping, also in noise", arguments: cadences, [Float(1), 100])
    func stops(rpm: Double, signalToNoise: Float) {
        var signal = SyntheticSignal(seed: 22)
        let pedalling = SyntheticSignal.Pedalling(rpm: rpm, signalToNoise: signalToNoise)
        signal.pedal(seconds: 40, pedalling)
        signal.rest(seconds: 12, noise: pedalling.deviation / signalToNoise.squareRoot() / Float(3).squareRoot())
        let run = PipelineRun(signal.samples, .frame)
        // The report of the second in which the promise ends may still be above zero.
        #expect(run.lastActiveSecond <= 40 + max(3, 2.5 * 60 / rpm) + 1)
        #expect(run.seconds.last?.cadenceRPM == 0)
    }

    @Test(
        "A frame tells a cadence that changes as it was less than two seconds ago",
        arguments: [(60.0, 90.0), (90, 60), (70, 80), (100, 75)])
    func changes(firstRPM: Double, secondRPM: Double) throws {
        let plan = RidePlan(
            script: [
                RideSegment(.pedal(rpm: firstRPM), seconds: 40), RideSegment(.pedal(rpm: secondRPM), seconds: 40),
                RideSegment(.rest, seconds: 1_000),
            ], wanderRPM: 1)
        for seed in UInt64(1)...6 {
            let ride = try SimulatedRide(
                .frameRider(plan, BikeMount()), seconds: 80, sensors: [.acceleration, .angularVelocity], seed: seed)
            let told = PipelineRun(ride.samples, .frame).seconds.map { Double($0.cadenceRPM) }
            for second in 38..<50 {
                let truth = Self.cadence(ride.times, at: Double(second + 1) - Self.delaySeconds)
                #expect(abs(told[second] - truth) <= 8, "\(seed), \(second): \(told[second]), \(truth)")
            }
        }
    }

    /// By how much a cadence on a frame is told later than it is turned.
    private static let delaySeconds = 1.8

    /// The cadence of the turn that a time lies in, rpm.
    private static func cadence(_ times: [Double], at seconds: Double) -> Double {
        guard let next = times.firstIndex(where: { $0 > seconds }), next > 0 else { return 0 }
        return 60 / (times[next] - times[next - 1])
    }

    @Test("Starts and stops are counted bout by bout")
    func bouts() {
        var signal = SyntheticSignal(seed: 23)
        for _ in 0..<3 {
            signal.rest(seconds: 8)
            signal.pedal(seconds: 30, .init(rpm: 70, ratio: 2, signalToNoise: 20))
        }
        signal.rest(seconds: 8)
        let run = PipelineRun(signal.samples, .frame)
        #expect((102...109).contains(run.revolutions))
        #expect(run.seconds.contains { $0.activity == .cycling && $0.activityConfidence == .high })
    }

    @Test("A gyroscope on the crank counts its own turns")
    func crank() {
        let axis = SIMD3<Float>(0.6, 0, 0.8) * (80 * 2 * .pi / 60)
        let samples = (0..<1500).map { index in
            MotionSample(
                timeMicroseconds: SyntheticSignal.startMicroseconds + Int64(index) * 20_000, angularVelocity: axis,
                sensors: .angularVelocity)
        }
        let run = PipelineRun(samples, MotionConfiguration(kind: .bike, placement: .crank))
        #expect((38...41).contains(run.revolutions))
        #expect(run.seconds.last.map { abs($0.cadenceRPM - 80) < 0.5 } ?? false)
    }

    static let sensors: [SensorSet] = [.acceleration, [.acceleration, .angularVelocity]]

    @Test(
        "A bike at rest makes no revolutions, however much noise its sensors make", arguments: sensors,
        [Float(0.02), 0.04, 0.06, 0.09, 0.15, 0.3])
    func rests(sensors: SensorSet, noise: Float) {
        for seed in Sweep.seeds(24..<27) {
            var signal = SyntheticSignal(seed: seed)
            signal.rest(seconds: 300, noise: noise, sensors: sensors)
            #expect(PipelineRun(signal.samples, .frame).revolutions == 0)
        }
    }

    @Test(
        "A floor that trembles along one axis makes no revolutions", arguments: sensors, [Float(0.04), 0.06, 0.1, 0.3])
    func trembles(sensors: SensorSet, deviation: Float) {
        for seed in Sweep.seeds(31..<34) {
            var signal = SyntheticSignal(seed: seed)
            signal.tremble(seconds: 300, deviation: deviation, sensors: sensors)
            #expect(PipelineRun(signal.samples, .frame).revolutions == 0)
        }
    }

    @Test("A confidence never falls when the signal becomes clearer")
    func calibration() {
        for noisy in [Float(2), 8] {
            var weak = SyntheticSignal(seed: 54)
            weak.pedal(seconds: 50, .init(rpm: 80, ratio: 2, signalToNoise: noisy))
            var clear = SyntheticSignal(seed: 54)
            clear.pedal(seconds: 50, .init(rpm: 80, ratio: 2, signalToNoise: 100))
            let last = { (signal: SyntheticSignal) in PipelineRun(signal.samples, .frame).seconds.last?.confidence ?? 0
            }
            #expect(last(weak) <= last(clear))
            #expect(last(clear) > 0.95)
        }
    }
}
