import Synchronization
import Wire

/// Pauses and resumptions of a device as they happen: reports of cadence and the time that passes without one.
final class PauseEvents: Sendable {
    private let reports: AsyncStream<CadenceReport>
    private let silenceSeconds: Double
    private let detector = Mutex(PauseDetector())

    init(reports: AsyncStream<CadenceReport>, silenceSeconds: Double) {
        self.reports = reports
        self.silenceSeconds = silenceSeconds
    }

    /// Hands over events until the reports end or the task is cancelled.
    func run(_ body: @Sendable @escaping (PedometerEvent) -> Void) async {
        var patience: Task<Void, Never>?
        for await report in reports {
            let (event, isKept) = detector.withLock { ($0.take(report), $0.kept != nil) }
            if let event { body(event) }
            if !isKept {
                patience?.cancel()
                patience = nil
            } else if patience == nil {
                patience = Task { await self.waitAndTell(body) }
            }
        }
        patience?.cancel()
    }

    private func waitAndTell(_ body: @Sendable (PedometerEvent) -> Void) async {
        try? await Task.sleep(for: .seconds(silenceSeconds))
        guard !Task.isCancelled, let event = detector.withLock({ $0.giveUp() }) else { return }
        body(event)
    }
}

/// Finds pauses in reports of cadence: there is one a second during movement, and one final 0.
///
/// A 0 of a wearer of whom nothing is known any more is one of silence: the device may have stopped sending because
/// nothing moves, or a service is being started again. It is a pause only when the silence lasts.
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

    /// The silence has lasted: the pause that was kept back is reported.
    mutating func giveUp() -> PedometerEvent? {
        guard let event = kept else { return nil }
        kept = nil
        isMoving = false
        return event
    }
}
