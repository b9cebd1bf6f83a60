@testable import Bodies
import Lab
import Motion
import Seeded
import Testing

@Suite("Cycling")
struct CyclingTests {
    private static let cadences = [25.0, 40, 63, 85, 110]
    private static let crank = MotionConfiguration(kind: .bike, placement: .crank)

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
            let ride = try SimulatedSignal(
                .frameRider(plan, BikeMount()), seconds: 80, sensors: Self.sixAxes, seed: seed)
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
        let run = PipelineRun(samples, Self.crank)
        #expect((38...41).contains(run.revolutions))
        #expect(run.seconds.last.map { abs($0.cadenceRPM - 80) < 0.5 } ?? false)
    }

    private static let sixAxes: SensorSet = [.acceleration, .angularVelocity]
    private static let sensors: [SensorSet] = [.acceleration, sixAxes]

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

    @Test("At a wrist another cadence is mostly told within eight seconds")
    func changesAtWrist() throws {
        let plan = RidePlan(
            script: [60.0, 100, 70, 100, 70].map { RideSegment(.pedal(rpm: $0), seconds: 20) }, wanderRPM: 1)
        var right = 0
        for seed in UInt64(700)..<708 {
            let ride = try SimulatedSignal(
                .wearingRider(plan, .wrist), seconds: 100, sensors: Self.sixAxes, seed: seed)
            let told = PipelineRun(ride.samples, .wrist).seconds.map { Double($0.cadenceRPM) }
            right += [(48, 70.0), (68, 100), (88, 70)].count { abs(told[$0.0] - $0.1) < 6 }
        }
        #expect(right >= 16)
    }

    @Test(
        "A frame tells the slowest cadence and the fastest, and so does a crank without a gyroscope",
        arguments: [20.0, 30, 60, 100, 140, 180])
    func range(rpm: Double) throws {
        let script = [
            RideSegment(.rest, seconds: 5), RideSegment(.pedal(rpm: rpm), seconds: 60),
            RideSegment(.rest, seconds: 1_000),
        ]
        let plan = RidePlan(script: script, wanderRPM: 1)
        let actors: [(SimulatedActor, SensorSet, MotionConfiguration)] = [
            (.frameRider(plan, BikeMount()), Self.sixAxes, .frame),
            (.crankRider(plan, BikeMount()), .acceleration, Self.crank),
        ]
        for (actor, sensors, configuration) in actors {
            let ride = try SimulatedSignal(actor, seconds: 75, sensors: sensors, seed: UInt64(rpm))
            let run = PipelineRun(ride.samples, configuration)
            #expect(abs(run.revolutions - ride.revolutions) <= 2)
            let settled = run.seconds.dropFirst(25).prefix(35)
            #expect(settled.filter { abs(Double($0.cadenceRPM) - rpm) < 4 }.count >= 32)
        }
    }

    @Test(
        "A floor that rings makes next to no revolutions, however sharp its resonance",
        arguments: Sweep.cases([3.0, 5, 10, 20], every: 3), Sweep.cases([1.2, 1.6, 2.6, 4], every: 2))
    func rings(quality: Double, frequencyHz: Double) throws {
        let plan = RidePlan(script: [RideSegment(.rest, seconds: 1_000)])
        for (sensors, rms) in [(Self.sixAxes, 0.06), (.acceleration, 0.3)] {
            let floor = FloorResonance(frequencyHz: frequencyHz, quality: quality, rms: rms)
            let ride = try SimulatedSignal(
                .frameRider(plan, BikeMount(signalRMS: 0.05, touchesPerMinute: 0, floor: floor)), seconds: 200,
                sensors: sensors, seed: UInt64(10 * frequencyHz + quality))
            let run = PipelineRun(ride.samples, .frame)
            #expect(Double(run.revolutions) <= 0.1 * 200 * frequencyHz)
            if frequencyHz > 2 { #expect(run.seconds.filter { $0.cadenceRPM > 0 }.count <= 50) }
        }
    }

    @Test("After a strong gesture a wrist that pedals on is soon seen to pedal on")
    func gesture() {
        var signal = SyntheticSignal(rateHz: 50, seed: 33)
        signal.pedalAtWrist(seconds: 60, rpm: 58, gestureSeconds: 30...33)
        let run = PipelineRun(signal.samples, .wrist)
        let after = run.seconds.filter { report in
            Double(report.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6 > 44
        }
        #expect(after.count > 10)
        #expect(after.allSatisfy { abs($0.cadenceRPM - 58) < 5 })
        #expect(run.steps == 0)
    }

    @Test(
        "A leg that pedals makes revolutions and no steps, however the machine shakes it",
        arguments: [SimulatedPlacement.thigh, .ankle], [26.0, 50, 75, 110])
    func pedalsShaken(placement: SimulatedPlacement, rpm: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.pedal(rpm: rpm), seconds: 120), RideSegment(.rest, seconds: 1_000)], wanderRPM: 1)
        for seed in Sweep.seeds(300..<304) {
            let ride = try SimulatedSignal(
                .wearingRider(plan, placement), seconds: 110, sensors: Self.sixAxes, seed: seed)
            let run = PipelineRun(ride.samples, .worn(placement))
            #expect(run.steps == 0)
            let settled = run.seconds.dropFirst(40).prefix(60)
            #expect(settled.filter { abs(Double($0.cadenceRPM) - rpm) < 5 }.count * 10 >= settled.count * 8)
        }
    }

    @Test("Of a leg at rest nothing is told once the pedalling has ended", arguments: [26.0, 40, 60])
    func restsAfterwards(rpm: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.pedal(rpm: rpm), seconds: 90), RideSegment(.rest, seconds: 1_000)], wanderRPM: 1)
        for seed in Sweep.seeds(300..<304) {
            let ride = try SimulatedSignal(
                .wearingRider(plan, .thigh), seconds: 150, sensors: Self.sixAxes, seed: seed)
            let run = PipelineRun(ride.samples, .pocket)
            #expect(run.seconds.dropFirst(97).allSatisfy { $0.cadenceRPM == 0 })
            #expect(abs(run.revolutions - ride.revolutions) <= 3)
        }
    }

    @Test(
        "A pause makes no revolutions and no cadence, nor does the end, although the noise goes on as before",
        arguments: [3.0, 4, 5, 6, 8, 10, 12], [Float(3), 5])
    func pause(seconds: Double, signalToNoise: Float) {
        for rpm in [52.0, 70, 96] {
            let run = pausedRide(rpm: rpm, pauseSeconds: seconds, signalToNoise: signalToNoise)
            let truth = rpm / 60 * 80
            #expect(abs(Double(run.revolutions) - truth) <= max(2, 0.03 * truth))
            #expect(run.revolutions(between: 42 + 60 / rpm, and: 40 + seconds - 0.5) == 0)
            let promise = max(3, 2.5 * 60 / rpm) + 1
            #expect(run.cadences(between: 40 + promise, and: 40 + seconds).allSatisfy { $0 == 0 })
            #expect(run.cadences(between: 80 + seconds + promise, and: 92 + seconds).allSatisfy { $0 == 0 })
        }
    }

    @Test("A frame that only sways makes no cadence", arguments: [UInt64(31), 32, 33, 34])
    func sway(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.sway(seconds: 120)
        let run = PipelineRun(signal.samples, .frame)
        #expect(run.revolutions <= 6)
        #expect(run.seconds.filter { $0.cadenceRPM > 0 }.count <= 8)
    }

    private func pausedRide(rpm: Double, pauseSeconds: Double, signalToNoise: Float) -> PipelineRun {
        var signal = SyntheticSignal(jitter: 0.2, seed: 41)
        let pedalling = SyntheticSignal.Pedalling(rpm: rpm, ratio: 2, signalToNoise: signalToNoise)
        let noise = pedalling.deviation / signalToNoise.squareRoot() / Float(3).squareRoot()
        signal.pedal(seconds: 40, pedalling)
        signal.rest(seconds: pauseSeconds, noise: noise)
        signal.pedal(seconds: 40, pedalling)
        signal.rest(seconds: 12, noise: noise)
        return PipelineRun(signal.samples, .frame)
    }
}

extension PipelineRun {
    /// Revolutions that are said to have ended between two seconds of the signal.
    func revolutions(between from: Double, and to: Double) -> Int {
        events.reduce(0) { sum, event in
            guard case .revolutions(let count, let time) = event else { return sum }
            let second = Double(time - SyntheticSignal.startMicroseconds) / 1e6
            return second > from && second <= to ? sum + count : sum
        }
    }

    /// The cadences reported for the seconds that end between two seconds of the signal.
    func cadences(between from: Double, and to: Double) -> [Float] {
        seconds.filter { report in
            let second = Double(report.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6
            return second > from && second <= to
        }.map(\.cadenceRPM)
    }
}
