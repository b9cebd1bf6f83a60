import Motion
import Testing

/// Where a bout, a signal and what is told of it begin and end.
@Suite("Edges")
struct BoutEdgeTests {
    private static let told: [MotionConfiguration] = [
        .carried, .pocket, .ankle,
        .wrist,
    ]

    /// Bouts of so many footfalls between stillness. A foot is set down at second 0 and once a step.
    private static func bouts(of steps: Int, stepsPerSecond: Double, seed: UInt64) -> SyntheticSignal {
        var signal = SyntheticSignal(seed: seed)
        for _ in 0..<6 {
            signal.rest(seconds: 6)
            signal.walk(seconds: (Double(steps) - 0.5) / stepsPerSecond, stepsPerSecond: stepsPerSecond, noise: 0.1)
        }
        signal.rest(seconds: 6)
        return signal
    }

    @Test("Ten steps are ten in every placement", arguments: told, [1.6, 2])
    func tenSteps(configuration: MotionConfiguration, stepsPerSecond: Double) {
        let signal = Self.bouts(of: 10, stepsPerSecond: stepsPerSecond, seed: 61)
        #expect((58...62).contains(PipelineRun(signal.samples, configuration).steps))
    }

    @Test("Six steps at the back are not seven", arguments: [1.6, 1.9])
    func sixSteps(stepsPerSecond: Double) {
        let signal = Self.bouts(of: 6, stepsPerSecond: stepsPerSecond, seed: 62)
        #expect((32...38).contains(PipelineRun(signal.samples, Self.told[0]).steps))
    }

    @Test("Steps before the end of a signal are counted, however soon it comes", arguments: [0.5, 1, 2, 4])
    func cutShort(restSeconds: Double) {
        var signal = SyntheticSignal(seed: 63)
        signal.rest(seconds: 3)
        signal.walk(seconds: 4.75, stepsPerSecond: 2, noise: 0.1)
        signal.rest(seconds: restSeconds)
        #expect((9...11).contains(PipelineRun(signal.samples, .pocket).steps))
    }

    @Test("The moment in which a signal began changes no count", arguments: told)
    func startingMoment(configuration: MotionConfiguration) {
        var signal = SyntheticSignal(seed: 64)
        signal.rest(seconds: 4)
        for rate in [1.6, 2.1, 1.8] {
            signal.walk(seconds: 7.3, stepsPerSecond: rate)
            signal.rest(seconds: 5)
        }
        let counts = Self.counts(signal, configuration, \.steps)
        #expect(Set(counts).count == 1 && counts[0] > 30)
    }

    @Test(
        "It changes none of a bike either, told or not", arguments: [MotionConfiguration.frame, MotionConfiguration()])
    func startingMomentOnBike(configuration: MotionConfiguration) {
        for seed in UInt64(68)..<72 {
            var signal = SyntheticSignal(seed: seed)
            for rpm in [71.0, 96.5] {
                signal.pedal(seconds: 40.3, SyntheticSignal.Pedalling(rpm: rpm, ratio: 2, signalToNoise: 4))
                signal.rest(seconds: 6)
            }
            signal.pedal(seconds: 20.2, SyntheticSignal.Pedalling(rpm: 83, ratio: 2, signalToNoise: 4))
            let counts = Self.counts(signal, configuration, \.revolutions)
            #expect(Set(counts).count == 1 && counts[0] > 60)
        }
    }

    /// Counts of a signal that begins so many fractions of a second later.
    private static func counts(
        _ signal: SyntheticSignal, _ configuration: MotionConfiguration, _ count: KeyPath<PipelineRun, Int>
    ) -> [Int] {
        [0, 7_123, 20_000, 33_333, 130_000, 400_000, 770_000, 1_000_000, 2_017_999].map { (delay: Int64) in
            let later = signal.samples.map { sample in
                var sample = sample
                sample.timeMicroseconds += delay
                return sample
            }
            return PipelineRun(later, configuration)[keyPath: count]
        }
    }

    @Test("A walk that is sent too slowly to be counted is not told for ever")
    func tooSlow() {
        var signal = SyntheticSignal(rateHz: 25, seed: 65)
        signal.walk(seconds: 30, stepsPerSecond: 1.8)
        let walked = signal.durationSeconds
        var slow = SyntheticSignal(rateHz: 7, seed: 65)
        slow.gap(seconds: walked)
        slow.walk(seconds: 10, stepsPerSecond: 1.8)
        slow.rest(seconds: 600)
        for configuration in [.pocket, MotionConfiguration()] {
            let run = PipelineRun(signal.samples + slow.samples, configuration)
            #expect(run.diagnostics.isTooSlow)
            #expect((50...72).contains(run.steps))
            #expect(run.lastActiveSecond < walked + 15)
            #expect(run.seconds.last.map { $0.activity != .walking && $0.activeMilliseconds == 0 } == true)
        }
    }

    @Test("A cadence outlives a lost packet, and not a night")
    func gaps() {
        for (gapSeconds, isKept) in [(2.0, true), (8 * 3600, false)] {
            var signal = SyntheticSignal(rateHz: 50, seed: 66)
            signal.walk(seconds: 20, stepsPerSecond: 1.9)
            let before = SyntheticSignal.startMicroseconds + 20_000_000
            signal.gap(seconds: gapSeconds)
            signal.walk(seconds: 10, stepsPerSecond: 1.9)
            let first = PipelineRun(signal.samples, .pocket).seconds.first { $0.timeMicroseconds > before + 1_000_000 }
            #expect(first.map { ($0.cadenceSPM > 0) == isKept } == true)
        }
    }

    @Test("Two or three jolts are no bout")
    func jolts() {
        var signal = SyntheticSignal(seed: 53)
        for count in [2.0, 3, 2, 3] {
            signal.rest(seconds: 8)
            // A foot is set down at second 0 and at every half second.
            signal.walk(seconds: count * 0.5 - 0.3, stepsPerSecond: 2, amplitude: 2)
        }
        signal.rest(seconds: 8)
        #expect(PipelineRun(signal.samples, Self.told[0]).steps == 0)
    }
}
