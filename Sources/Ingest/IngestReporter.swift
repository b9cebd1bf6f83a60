internal import Wire

/// The times of health reports and log lines: at once when something new was refused, seldom otherwise.
struct IngestReporter {
    /// The report and the line that are due.
    struct Report {
        var health: ServiceHealth?
        var line: String?
    }

    private let healthMicroseconds: Int64
    private let logMicroseconds: Int64
    private var published: (microseconds: Int64, refused: UInt64)?
    private var logged: (microseconds: Int64, counters: IngestCounters)?

    /// A reporter that has reported nothing, with the intervals of health and log.
    init(healthMicroseconds: Int64, logMicroseconds: Int64) {
        self.healthMicroseconds = healthMicroseconds
        self.logMicroseconds = logMicroseconds
    }

    /// Called about once a second.
    mutating func report(
        _ counters: IngestCounters, _ publishing: PublishCounters, nowMicroseconds now: Int64
    ) -> Report {
        var report = Report()
        if isHealthDue(counters, now) {
            published = (now, counters.refused)
            report.health = Self.health(counters, publishing, nowMicroseconds: now)
        }
        let before = logged?.counters ?? IngestCounters()
        if counters.refused > before.refused, isDue(logged?.microseconds, logMicroseconds, now) {
            logged = (now, counters)
            report.line = Self.line(counters, since: before)
        }
        return report
    }

    /// The health of the service by its counters.
    static func health(
        _ counters: IngestCounters, _ publishing: PublishCounters, nowMicroseconds: Int64
    ) -> ServiceHealth {
        ServiceHealth(
            t: Double(nowMicroseconds) / 1e6, service: .ingest,
            counters: counters.named + publishing.named)
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
