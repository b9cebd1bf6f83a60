import Motion
import Testing

/// A machine that hums on while nobody pedals.
@Suite("Paused rides")
struct PausedRideTests {
    private static let pauses = [3.0, 4, 5, 6, 8, 10, 12]

    @Test(
        "A pause makes no revolutions although the noise goes on as before",
        arguments: pauses, [Float(3), 5])
    func pause(seconds: Double, signalToNoise: Float) {
        for rpm in [52.0, 70, 96] {
            let run = ride(rpm: rpm, pauseSeconds: seconds, signalToNoise: signalToNoise)
            let truth = rpm / 60 * 80
            #expect(abs(Double(run.revolutions) - truth) <= max(2, 0.03 * truth))
            #expect(run.revolutions(between: 42 + 60 / rpm, and: 40 + seconds - 0.5) == 0)
        }
    }

    @Test("The cadence is zero in time in a pause and after the ride", arguments: [Float(3), 5])
    func zeroInTime(signalToNoise: Float) {
        for rpm in [52.0, 70, 96] {
            let promise = max(3, 2.5 * 60 / rpm) + 1
            let run = ride(rpm: rpm, pauseSeconds: 10, signalToNoise: signalToNoise)
            #expect(run.cadences(between: 40 + promise, and: 50).allSatisfy { $0 == 0 })
            #expect(run.cadences(between: 90 + promise, and: 102).allSatisfy { $0 == 0 })
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

    private func ride(rpm: Double, pauseSeconds: Double, signalToNoise: Float) -> PipelineRun {
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
