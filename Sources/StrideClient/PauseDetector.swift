import Wire

/// Finds pauses in reports of cadence: there is one a second while somebody moves, and one final 0.
struct PauseDetector: Sendable {
    private var isMoving = false

    /// The event that a report makes known; nil for one that says what was known.
    mutating func take(_ report: CadenceReport) -> PedometerEvent? {
        let moves = max(report.rpm ?? 0, report.spm ?? 0) > 0
        guard moves != isMoving else { return nil }
        isMoving = moves
        return PedometerEvent(kind: moves ? .resume : .pause, t: report.t)
    }
}
