import Wire

/// Finds pauses in reports of cadence: there is one a second while somebody moves, and one final 0.
///
/// A 0 of a wearer of whom nothing is known any more is one of silence: the device may have stopped sending because
/// nobody moves, or a service is being started again. It is a pause only when the silence lasts.
struct PauseDetector: Sendable {
    private var isMoving = false
    /// A pause that is kept back.
    private(set) var kept: PedometerEvent?

    /// The event that a report makes known; nil for one that says what was known, or what is to be kept back.
    mutating func take(_ report: CadenceReport) -> PedometerEvent? {
        let moves = report.isMoving
        let event = PedometerEvent(kind: moves ? .resume : .pause, t: report.t)
        if moves { kept = nil }
        guard moves != isMoving else { return nil }
        if !moves, report.state == .unknown {
            kept = kept ?? event
            return nil
        }
        kept = nil
        isMoving = moves
        return event
    }

    /// The silence has lasted: what was kept back is told.
    mutating func giveUp() -> PedometerEvent? {
        guard let event = kept else { return nil }
        kept = nil
        isMoving = false
        return event
    }
}
