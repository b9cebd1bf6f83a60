#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Motion
import Testing

@Suite("The prototype's rule")
struct PrototypeEstimatorTests {
    struct Window: Sendable {
        let values: [Int32]
        let maxima: Int
        let why: String
    }

    /// Worked out by hand: ascending and last = 0 at the start; a smaller value while ascending counts.
    static let windows: [Window] = [
        Window(values: [], maxima: 0, why: "nothing happens"),
        Window(values: [0, 0, 0], maxima: 0, why: "equal to last changes nothing"),
        Window(values: [5, 5, 5], maxima: 0, why: "rises once, never falls"),
        Window(values: [1, 2, 3], maxima: 0, why: "the end does not count"),
        Window(values: [3, 2, 1], maxima: 1, why: "3 is a maximum, the fall goes on"),
        Window(values: [1, 2, 1, 2, 1], maxima: 2, why: "both twos"),
        Window(values: [2, 2, 1], maxima: 1, why: "a flat top is one"),
        Window(values: [1, 2, 2, 1, 1, 2, 0], maxima: 2, why: "flat top, flat bottom, peak"),
        Window(values: [3, 1, 1, 0, 0, 1], maxima: 1, why: "a flat on the way down is no bottom"),
        Window(values: [-1], maxima: 1, why: "below the start's 0 while ascending"),
        Window(values: [-1, -2, -1, -2], maxima: 2, why: "the start's 0, then −1"),
        Window(values: [0, -1, 0, 1, 0], maxima: 2, why: "the start's 0, then 1"),
        Window(values: [-3, -2, -1, 0, 1], maxima: 1, why: "the start's 0 only"),
    ]

    @Test("Known windows have the maxima worked out by hand", arguments: windows)
    func maxima(window: Window) {
        #expect(PrototypeEstimator.countMaxima(window.values) == window.maxima, Comment(rawValue: window.why))
    }

    @Test(
        "Quantising truncates towards zero and never traps",
        arguments: [
            (Float(3.99), 1, Int32(3)), (-3.99, 1, -3), (0.0166, 60, 0), (0.0167, 60, 1), (-0.5, 600, -300),
            (.nan, 10, 0), (.infinity, 10, 0), (1e30, 600, 1_000_000_000),
        ])
    func quantise(value: Float, levels: Int, expected: Int32) {
        #expect(PrototypeEstimator.quantise(value, levels: levels) == expected)
    }

    @Test("The window is evaluated once in 30 values, over at most 150")
    func evaluation() throws {
        let settings = try PrototypeEstimator.Settings(sensor: .acceleration, axis: .x, factor: 0.75, levels: 100)
        var estimator = PrototypeEstimator(settings: settings)
        var cadences: [Float] = []
        for index in 0..<300 {
            let value = 1 - cos(2 * Float.pi * Float(index) / 30)
            if estimator.process(value) {
                #expect(index % 30 == 29)
                cadences.append(estimator.cadenceRPM)
            }
        }
        // One turn a second: after n seconds n tops have passed. Later windows begin on the slope that the low-pass
        // delays past the turn: it falls from the start, which counts once more.
        #expect(cadences == [12, 24, 36, 48, 60, 72, 72, 72, 72, 72])
    }

    @Test("With f = 1 the first sample passes and nothing after it")
    func firstSample() throws {
        let settings = try PrototypeEstimator.Settings(sensor: .acceleration, axis: .x, factor: 1, levels: 10)
        var positive = PrototypeEstimator(settings: settings)
        var negative = PrototypeEstimator(settings: settings)
        for index in 0..<150 {
            positive.process(index == 0 ? 2 : Float(index % 7))
            negative.process(index == 0 ? -1 : Float(index % 7))
        }
        #expect(positive.cadenceRPM == 0)
        #expect(negative.cadenceRPM == 12)
    }

    @Test("Settings out of range are refused")
    func settings() {
        typealias Settings = PrototypeEstimator.Settings
        #expect(throws: PrototypeEstimator.SettingsError.levelsOutOfRange(0)) {
            try Settings(sensor: .acceleration, axis: .x, factor: 0.9, levels: 0)
        }
        #expect(throws: PrototypeEstimator.SettingsError.levelsOutOfRange(601)) {
            try Settings(sensor: .acceleration, axis: .x, factor: 0.9, levels: 601)
        }
        #expect(throws: PrototypeEstimator.SettingsError.factorOutOfRange(0.7)) {
            try Settings(sensor: .acceleration, axis: .x, factor: 0.7, levels: 60)
        }
        #expect(throws: PrototypeEstimator.SettingsError.self) {
            try Settings(sensor: .acceleration, axis: .x, factor: .nan, levels: 60)
        }
    }

    @Test("In the pipeline its cadence is integrated to revolutions, at any rate", arguments: [20.0, 30, 50, 100])
    func pipeline(rateHz: Double) throws {
        let settings = try PrototypeEstimator.Settings(sensor: .angularVelocity, axis: .z, factor: 0.8, levels: 100)
        let samples = (0..<Int(60 * rateHz)).map { index in
            MotionSample(
                timeMicroseconds: SyntheticSignal.startMicroseconds + Int64(Double(index) / rateHz * 1e6),
                angularVelocity: SIMD3(0, 0, 2 + Float(sin(2 * Double.pi * Double(index) / rateHz))),
                sensors: .angularVelocity)
        }
        let run = PipelineRun(samples, MotionConfiguration(kind: .bike, estimator: .prototype(settings)))
        #expect((54...61).contains(run.revolutions))
        #expect(run.steps == 0)
        #expect(run.seconds.last.map { abs($0.cadenceRPM - 60) <= 12 } ?? false)
    }
}
