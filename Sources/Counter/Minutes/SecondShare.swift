import Motion
import Wire

/// What one second of signal brings to its minute, beside steps and revolutions.
struct SecondShare: Sendable, Equatable {
    /// The end of the second, UTC in microseconds.
    private(set) var timeMicroseconds: Int64 = 0
    private var activeMilliseconds: Int64 = 0
    private var activity = ActivityKind.unknown
    private var cadence: Float = 0

    init() {}

    init(_ report: SecondReport) {
        timeMicroseconds = report.timeMicroseconds
        activeMilliseconds = Int64(report.activeMilliseconds)
        activity = ActivityKind(report.activity)
        cadence = report.cadenceRPM > 0 ? report.cadenceRPM : report.cadenceSPM
    }

    /// Adds the second. One that a pause cut may still be replaced, and an extreme cannot be taken back: it leaves the
    /// lowest and the highest cadence as they are.
    func add(to increment: inout MinuteIncrement, isAdvance: Bool) {
        add(to: &increment, sign: 1)
        if !isAdvance, cadence > 0 { increment.include(minimum: cadence, maximum: cadence) }
    }

    /// Takes the second back, which had been added in advance.
    func takeBack(from increment: inout MinuteIncrement) {
        add(to: &increment, sign: -1)
    }

    private func add(to increment: inout MinuteIncrement, sign: Int64) {
        increment.activeMilliseconds += sign * activeMilliseconds
        increment.activityMilliseconds[Int(activity.rawValue)] += sign * 1000
        if cadence > 0 { increment.addCadence(cadence, milliseconds: sign * 1000) }
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&timeMicroseconds)
        coder.code(&activeMilliseconds)
        coder.code(&activity)
        coder.code(&cadence)
        if !(0...1000).contains(activeMilliseconds) || !(0...10_000).contains(cadence) { coder.reject() }
    }
}
