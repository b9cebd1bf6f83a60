@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("The signal of a bike")
struct BikeSignalTests {
    private func ride(
        rpm: Double, mount: BikeMount, seed: UInt64, wanderRPM: Double = 0.5, frames: Int = 60
    ) throws -> Recorded {
        let plan = RidePlan(script: [RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: wanderRPM)
        var device = try SimulatedDeviceTests.device(.frameRider(plan, mount), seed: seed)
        _ = Recorded(&device, frames: 5)
        return Recorded(&device, frames: frames)
    }

    @Test("The strongest line is at twice the crank's rate when both legs push", arguments: [45.0, 60, 80, 95, 110])
    func secondHarmonic(rpm: Double) throws {
        let mount = BikeMount(secondToFirstRatio: 4, signalToNoise: 5, touchesPerMinute: 0)
        let recorded = try ride(rpm: rpm, mount: mount, seed: UInt64(rpm))
        let line = strongestLine((0..<3).map(recorded.column), from: 0.4, to: 5, rateHz: 50)
        #expect(abs(line - 2 * rpm / 60) < 0.1)
    }

    @Test("The ratio of the lines and the noise are as the mount says", arguments: [1.0, 3, 10])
    func ratioOfLines(ratio: Double) throws {
        let mount = BikeMount(
            secondToFirstRatio: ratio, signalToNoise: 50, phaseDrift: 0, touchesPerMinute: 0, heightMetres: 100)
        let recorded = try ride(rpm: 72, mount: mount, seed: 5, wanderRPM: 0)
        let columns = (0..<3).map(recorded.column)
        func amplitude(_ hertz: Double) -> Double {
            stride(from: hertz - 0.06, through: hertz + 0.06, by: 0.01)
                .map { line in columns.map { power($0, atHz: line, rateHz: 50) }.reduce(0, +) }
                .reduce(0, max).squareRoot()
        }
        #expect(abs(amplitude(2.4) / amplitude(1.2) / ratio - 1) < 0.25)
    }

    @Test("The vibration of a bike that is pedalled is as strong as the mount says")
    func strength() throws {
        let mount = BikeMount(signalRMS: 0.5, signalToNoise: 1e9, touchesPerMinute: 0, flywheelUnbalance: 0)
        let recorded = try ride(rpm: 80, mount: mount, seed: 3)
        let total = (0..<3).map { deviation(recorded.column($0)) }.map { $0 * $0 }.reduce(0, +).squareRoot()
        #expect((0.35...0.75).contains(total))
    }

    @Test("The revolutions are those of the cadence asked for", arguments: [30.0, 60, 90, 120])
    func cadence(rpm: Double) throws {
        let recorded = try ride(rpm: rpm, mount: BikeMount(), seed: 9)
        #expect(abs(Double(recorded.truth.revolutions) - rpm) <= 2)
        let intervals = zip(recorded.events, recorded.events.dropFirst())
            .map { Double($1.microseconds - $0.microseconds) / 1e6 }
        #expect(abs(mean(intervals) * rpm / 60 - 1) < 0.02)
        #expect(deviation(intervals) / mean(intervals) < 0.05)
    }

    @Test("A rider who stops makes no more revolutions, with a free wheel at once and with a fixed one soon")
    func stop() throws {
        for (hasFreewheel, within) in [(true, 2.0), (false, 7.0)] {
            let plan = RidePlan(
                script: [RideSegment(.pedal(rpm: 90), seconds: 20), RideSegment(.rest, seconds: 100)],
                hasFreewheel: hasFreewheel)
            var device = try SimulatedDeviceTests.device(.frameRider(plan, BikeMount()))
            let recorded = Recorded(&device, frames: 60)
            let last = try #require(recorded.events.last)
            let seconds = Double(last.microseconds - SimulatedDeviceTests.start) / 1e6
            #expect((18...(20 + within)).contains(seconds))
        }
    }

    @Test("A sensor on the crank turns once a revolution")
    func crank() throws {
        let plan = RidePlan(script: [RideSegment(.pedal(rpm: 75), seconds: 1_000)], wanderRPM: 1)
        var device = try SimulatedDeviceTests.device(.crankRider(plan, BikeMount()))
        _ = Recorded(&device, frames: 8)
        let recorded = Recorded(&device, frames: 60)
        let turned = mean(recorded.column(5)) * 60 / (2 * .pi)
        #expect(abs(turned - Double(recorded.truth.revolutions)) < 1.5)
    }
}
