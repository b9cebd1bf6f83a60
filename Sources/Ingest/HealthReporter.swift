internal import ServiceKit
internal import Wire

/// When to publish health and when to log: at once when something new was refused, seldom otherwise.
struct HealthReporter {
    /// What is to be done now.
    struct Actions {
        var health: ServiceHealth?
        var line: String?
    }

    private let claim: StoreClaim
    private let healthMicroseconds: Int64
    private let logMicroseconds: Int64
    private var published: (microseconds: Int64, refused: UInt64)?
    private var logged: (microseconds: Int64, counters: IngestCounters)?

    init(configuration: IngestConfiguration, claim: StoreClaim) {
        self.claim = claim
        healthMicroseconds = Int64(configuration.healthSeconds * 1e6)
        logMicroseconds = Int64(configuration.logSeconds * 1e6)
    }

    /// Called about once a second.
    mutating func report(
        _ counters: IngestCounters, _ outlet: MotionOutlet.Counters, nowMicroseconds now: Int64
    ) -> Actions {
        var actions = Actions()
        if isHealthDue(counters, now) {
            published = (now, counters.refused)
            actions.health = health(counters, outlet, nowMicroseconds: now)
        }
        let before = logged?.counters ?? IngestCounters()
        if counters.refused > before.refused, isDue(logged?.microseconds, logMicroseconds, now) {
            logged = (now, counters)
            actions.line = Self.line(counters, since: before)
        }
        return actions
    }

    /// The report.
    func health(
        _ counters: IngestCounters, _ outlet: MotionOutlet.Counters, nowMicroseconds: Int64
    ) -> ServiceHealth {
        ServiceHealth(
            t: Double(nowMicroseconds) / 1e6, service: .ingest,
            counters: claim.counters + counters.named + [
                ("publish_retries", outlet.retries), ("batches_too_large", outlet.tooLarge),
                ("refusal_batches_untold", outlet.untoldBatches),
            ])
    }

    private func isHealthDue(_ counters: IngestCounters, _ now: Int64) -> Bool {
        guard let published else { return true }
        return published.refused != counters.refused || isDue(published.microseconds, healthMicroseconds, now)
    }

    /// A clock that was set back makes everything due.
    private func isDue(_ last: Int64?, _ interval: Int64, _ now: Int64) -> Bool {
        guard let last else { return true }
        return now < last || now - last >= interval
    }

    private static func line(_ counters: IngestCounters, since before: IngestCounters) -> String {
        let reasons = WireError.allCases.compactMap { reason in
            let count = counters.refused(reason) - before.refused(reason)
            return count > 0 ? "\(reason.reason) \(count)" : nil
        }
        return "refused \(counters.refused - before.refused) messages: \(reasons.joined(separator: ", "))"
    }
}
