import Motion
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("Distance: what a step and a revolution are worth")
struct DistanceTests {
    /// Minutes and steps a mile, W. W. K. Hoeger et al. 2008: the means of the walkers and joggers that the formula is
    /// meant for.
    static let miles: [(minutes: Double, steps: Double, tolerance: Double)] = [
        (20, 2252, 0.02), (15, 1935, 0.08), (12, 1951, 0.09), (10, 1672, 0.06),
    ]

    @Test("The formula gives its own constants back")
    func constants() {
        #expect(abs(StepLength.metres(heightMetres: 1.75, rateHz: 1.79) - 0.7) < 1e-9)
        #expect(abs(StepLength.metres(heightMetres: 1.85, rateHz: 1.79) - 0.7371) < 1e-9)
        #expect(abs(StepLength.metres(heightMetres: 1.75, rateHz: 2.79) - 0.927) < 1e-9)
    }

    @Test("Walkers and joggers over a measured mile have about the steps that were published", arguments: miles)
    func measuredMiles(mile: (minutes: Double, steps: Double, tolerance: Double)) {
        let length = StepLength.metres(heightMetres: 1.72, rateHz: mile.steps / mile.minutes / 60)
        #expect(abs(length * mile.steps / 1609.344 - 1) < mile.tolerance)
    }

    @Test("Every height and rate that may be told gives a length between 15 cm and 1.8 m")
    func bounds() {
        for height in stride(from: 0.5, through: 2.5, by: 0.1) {
            for rate in stride(from: 0.0, through: 10, by: 0.25) {
                #expect((0.15...1.8).contains(StepLength.metres(heightMetres: height, rateHz: rate)))
            }
        }
    }

    @Test("What was measured is believed before the height; without either there is no distance")
    func settings() {
        var config = DeviceConfig()
        #expect(DeviceSettings(config, defaultZone: "UTC").stepLength == .unknown)
        config.heightMetres = 1.8
        #expect(DeviceSettings(config, defaultZone: "UTC").stepLength == .ofHeight(metres: 1.8))
        config.metresPerStride = 1.5
        #expect(DeviceSettings(config, defaultZone: "UTC").stepLength == .measured(micrometres: 750_000))
        #expect(StepLength.unknown.micrometres(rateHz: 2) == 0)
        #expect(StepLength.measured(micrometres: 7).micrometres(rateHz: 3) == 7)
        #expect(StepLength.ofHeight(metres: 1.75).micrometres(rateHz: nil) == 700_000)
    }

    @Test("Every kind, sensor and axis of a config has its namesake in the signal processing")
    func names() {
        for kind in Wire.DeviceKind.allCases { #expect(Motion.DeviceKind(named: kind) != nil, "\(kind)") }
        for sensor in PrototypeConfig.Sensor.allCases {
            #expect(PrototypeEstimator.Sensor(named: sensor) != nil, "\(sensor)")
        }
        for axis in PrototypeConfig.Axis.allCases { #expect(PrototypeEstimator.Axis(named: axis) != nil, "\(axis)") }
        for confidence in Motion.ActivityConfidence.allCases {
            #expect(Wire.ActivityConfidence(named: confidence).flatMap { .init(named: $0) } == confidence)
        }
        for activity in Activity.allCases { #expect("\(ActivityKind(activity))" == "\(activity)") }
    }

    @Test("The rate is that of the steps' own times; a pause makes it unknown")
    func rate() {
        var gauge = StepRateGauge()
        #expect(gauge.take(1, at: 1_000_000) == nil)
        #expect(gauge.take(1, at: 1_500_000) == 2)
        #expect(gauge.take(2, at: 2_500_000) == 2)
        let faster = gauge.take(1, at: 2_900_000) ?? 0
        #expect(abs(faster - 2.125) < 1e-6)
        #expect(gauge.take(1, at: 6_000_000) == nil)
        #expect(gauge.take(1, at: 5_900_000) == nil)
        #expect(gauge.take(1, at: 100) == nil)
    }

    /// Walks two minutes with a configuration.
    private func walked(rateHz: Double, _ change: (inout DeviceConfig) -> Void) throws -> CountingRun {
        var walk = Walk()
        walk.rateHz = rateHz
        var run = CountingRun()
        var config = DeviceConfig()
        config.kind = .wearable
        change(&config)
        run.configure(walk.device, config)
        run.count(walk.records(seconds: 0..<120))
        run.finish()
        return run
    }

    @Test("Whoever steps faster takes longer steps", arguments: [1.6, 1.8, 2.1])
    func cadence(rateHz: Double) throws {
        let run = try walked(rateHz: rateHz) { $0.heightMetres = 1.8 }
        let metres = Double(run.sum(.distance)) / 1_000_000
        let expected = Double(run.sum(.steps)) * StepLength.metres(heightMetres: 1.8, rateHz: rateHz)
        #expect(run.sum(.steps) > 150)
        #expect(abs(metres / expected - 1) < 0.01)
    }

    @Test("A measured stride gives the same distance a step at every rate")
    func measured() throws {
        let run = try walked(rateHz: 2.1) {
            $0.heightMetres = 1.8
            $0.metresPerStride = 1.5
        }
        #expect(run.sum(.distance) == run.sum(.steps) * 750_000)
    }

    @Test("The pace told is that of the steps now")
    func pace() throws {
        let run = try walked(rateHz: 1.8) { $0.heightMetres = 1.75 }
        let report = try #require(
            run.live.compactMap { if case .steps(let report) = $0.payload { report } else { nil } }
                .last { $0.cadenceSPM > 0 })
        let pace = try #require(report.paceSecondsPerMetre)
        #expect(abs(pace * report.cadenceSPM / 60 * StepLength.metres(heightMetres: 1.75, rateHz: 1.8) - 1) < 0.02)
    }

    @Test("A walk cut into two processes has the same distance, and one that the network paused")
    func restarted() throws {
        let walk = Walk()
        var config = DeviceConfig()
        config.heightMetres = 1.8
        var plain = CountingRun()
        plain.configure(walk.device, config)
        var cut = plain
        plain.count(walk.records(seconds: 0..<90))
        plain.finish()
        cut.count(walk.records(seconds: 0..<47))
        cut.restart()
        cut.tick(Walk.start + 47_000_000)
        cut.tick(Walk.start + 60_000_000)
        cut.count(walk.records(seconds: 47..<90))
        cut.finish()
        #expect(plain.sum(.distance) > 50_000_000)
        #expect(cut.sum(.distance) == plain.sum(.distance))
        #expect(cut.totals == plain.totals)
    }

    @Test("A bike whose revolution has a length tells its distance and its speed")
    func bike() throws {
        let device: DeviceID = "bike-07"
        var config = DeviceConfig()
        config.kind = .bike
        config.metresPerRevolution = 6
        var run = CountingRun()
        run.configure(device, config)
        run.count(
            (0..<20 as Range<UInt64>).map { number in
                .crank(100 + 3 * number, of: device, at: Walk.start + Int64(number) * 2_000_000, sequence: number)
            })
        #expect(run.sum(.distance) == run.sum(.revolutions) * 6_000_000)
        let speed = try #require(run.cadences.last?.speedMetresPerSecond)
        #expect(abs(speed - 90 * 6 / 60) < 0.3)
    }
}
