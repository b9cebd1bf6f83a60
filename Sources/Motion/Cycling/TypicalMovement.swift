/// The middle of the movement of late: it goes up or down by a small step, so that a gesture moves it little however
/// strong it is, and what is little beside it is a stop.
struct TypicalMovement {
    /// The root mean square that the last moments had as often more as less, m/s² or rad/s; 0 at first.
    private var deviation: Float = 0

    mutating func learn(_ now: Float) {
        let step = RevolutionThresholds.typicalStep
        deviation =
            deviation > 0
            ? max(now > deviation ? deviation * step : deviation / step, RevolutionThresholds.personFloor) : now
    }

    /// Whether the movement of now is next to none.
    func hasStopped(_ now: Float) -> Bool {
        now < deviation * RevolutionThresholds.personStopShare
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&deviation)
    }
}
