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
