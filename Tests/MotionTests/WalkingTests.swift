import Motion
import Testing

@Suite("Walking")
struct WalkingTests {
    @Test("Slow, soft steps are counted when one is like the other", arguments: [1.0, 1.25])
    func softSteps(stepsPerSecond: Double) {
        var signal = SyntheticSignal(seed: 9)
        signal.rest(seconds: 5)
        signal.walk(seconds: 40, stepsPerSecond: stepsPerSecond, amplitude: 0.7)
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, .pocket)
        #expect(abs(Double(run.steps) - 40 * stepsPerSecond) <= 4)
    }

    @Test(
        "A walk is counted within 2 % or three steps at any sample rate with jitter",
        arguments: [10.0, 12.5, 25, 50, 100, 200, 400], [1.4, 1.8, 2.2, 2.8])
    func counts(rateHz: Double, stepsPerSecond: Double) {
        var signal = SyntheticSignal(rateHz: rateHz, jitter: 0.3, seed: 5)
        signal.rest(seconds: 4)
        signal.walk(seconds: 40, stepsPerSecond: stepsPerSecond, amplitude: stepsPerSecond > 2.5 ? 8 : 2.5)
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, .pocket)
        let truth = 40 * stepsPerSecond
        #expect(abs(Double(run.steps) - truth) <= max(3, 0.02 * truth))
        #expect(run.revolutions == 0)
    }

    @Test("A run is counted within 2 % at any rate from 25 Hz up", arguments: [25.0, 50, 100, 400], [3.0, 3.4])
    func runs(rateHz: Double, stepsPerSecond: Double) {
        var signal = SyntheticSignal(rateHz: rateHz, jitter: 0.3, seed: 5)
        signal.walk(seconds: 40, stepsPerSecond: stepsPerSecond, amplitude: 8)
        let run = PipelineRun(signal.samples, .pocket)
        let truth = 40 * stepsPerSecond
        #expect(abs(Double(run.steps) - truth) <= 0.02 * truth)
        #expect(run.seconds.last?.activity == .running)
    }

    @Test("Steps happen while walking, and each event has its own time")
    func stepTimes() {
        var signal = SyntheticSignal(seed: 6)
        signal.rest(seconds: 4)
        signal.walk(seconds: 30, stepsPerSecond: 2)
        signal.rest(seconds: 4)
        let run = PipelineRun(signal.samples, .pocket)
        var times: [Int64] = []
        for case .steps(let count, let time) in run.events {
            #expect(count == 1)
            times.append(time - SyntheticSignal.startMicroseconds)
        }
        #expect(times == times.sorted())
        #expect(times.allSatisfy { (3_000_000...35_000_000).contains($0) })
        #expect(Set(times).count == times.count)
    }

    @Test("The cadence is zero within three seconds of stopping")
    func stops() {
        var signal = SyntheticSignal(seed: 7)
        signal.walk(seconds: 30, stepsPerSecond: 1.9)
        signal.rest(seconds: 10)
        let run = PipelineRun(signal.samples, .pocket)
        #expect((29...33).contains(run.lastActiveSecond))
        #expect(run.seconds.last?.cadenceSPM == 0)
        #expect(run.seconds.last?.activity == .stationary)
    }

    @Test("Rest, drift and one jolt make no steps")
    func rests() {
        var signal = SyntheticSignal(seed: 8)
        signal.rest(seconds: 20)
        signal.walk(seconds: 0.3, stepsPerSecond: 2, amplitude: 10)
        signal.rest(seconds: 20)
        let run = PipelineRun(signal.samples, .pocket)
        #expect(run.steps == 0)
        #expect(run.revolutions == 0)
        #expect(run.seconds.contains { $0.activity == .stationary })
    }

    @Test("A gap ends one walk and the next is counted anew")
    func gap() {
        var signal = SyntheticSignal(seed: 9)
        signal.walk(seconds: 20, stepsPerSecond: 2)
        signal.gap(seconds: 30)
        signal.walk(seconds: 20, stepsPerSecond: 2)
        let run = PipelineRun(signal.samples, .pocket)
        #expect((76...84).contains(run.steps))
        #expect(run.diagnostics.gaps == 1)
        #expect((39...41).contains(run.seconds.count))
    }

    @Test("Every second of signal is reported once, at whole seconds, in order")
    func seconds() {
        var signal = SyntheticSignal(rateHz: 60, jitter: 0.4, seed: 10)
        signal.walk(seconds: 25, stepsPerSecond: 2)
        let run = PipelineRun(signal.samples, .pocket)
        let times = run.seconds.map(\.timeMicroseconds)
        #expect(times.allSatisfy { $0 % 1_000_000 == 0 })
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1_000_000 })
        #expect(times.count == 25)
        #expect(run.seconds.allSatisfy { (0...1000).contains($0.activeMilliseconds) })
        #expect(run.seconds.suffix(15).allSatisfy { $0.activity == .walking && abs($0.cadenceSPM - 120) < 3 })
    }

    @Test("A rate too low to count is said, not counted")
    func tooSlow() {
        var signal = SyntheticSignal(rateHz: 5, seed: 13)
        signal.walk(seconds: 30, stepsPerSecond: 2)
        let run = PipelineRun(signal.samples, .pocket)
        #expect(run.steps == 0)
        #expect(run.diagnostics.isTooSlow)
    }
}
