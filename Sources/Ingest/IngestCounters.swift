package import Wire

/// The messages that ingest has seen since its start: `received == accepted + refused`, and `refused` is the sum of its
/// reasons.
package struct IngestCounters: Sendable, Hashable {
    /// Messages that came.
    package internal(set) var received: UInt64 = 0
    /// Messages that were understood.
    package internal(set) var accepted: UInt64 = 0
    /// Messages that were understood and held nothing to count, such as a wheel without a crank: part of `accepted`.
    package internal(set) var withoutContent: UInt64 = 0
    /// Devices that were accepted.
    package internal(set) var devices: UInt64 = 0
    package internal(set) var batches: UInt64 = 0
    package internal(set) var batchBytes: UInt64 = 0
    /// Refusals sent to the counter, which shows them in the device's health.
    package internal(set) var refusalsReported: UInt64 = 0
    /// Refusals of devices beyond `IngestLimits.maximumRefusedDevices`: counted here, but not reported by device.
    package internal(set) var refusalsUnreported: UInt64 = 0
    private var byReason = [UInt64](repeating: 0, count: 32)

    /// The counters of a service that has seen nothing.
    package init() {}

    /// Messages that were refused for a reason.
    package func refused(_ reason: WireError) -> UInt64 {
        byReason[Int(reason.rawValue) & 31]
    }

    /// Messages that were refused.
    package var refused: UInt64 { byReason.reduce(0, &+) }

    mutating func countRefusal(_ reason: WireError) {
        byReason[Int(reason.rawValue) & 31] &+= 1
    }

    /// The counters under their names on `service/ingest/health`, every reason among them as `refused_{reason}`.
    package var named: [(name: String, value: UInt64)] {
        var counters: [(name: String, value: UInt64)] = [
            ("received", received), ("accepted", accepted), ("without_content", withoutContent), ("refused", refused),
        ]
        for reason in WireError.allCases { counters.append(("refused_\(reason.reason)", refused(reason))) }
        counters += [
            ("devices", devices), ("batches", batches), ("batch_bytes", batchBytes),
            ("refusals_told", refusalsReported), ("refusals_untold", refusalsUnreported),
        ]
        return counters
    }
}

/// The failures to publish since the start.
struct PublishCounters: Sendable, Hashable {
    /// Times that the broker refused motion and it was tried again.
    var retries: UInt64 = 0
    /// Batches that are larger than the broker takes: they can never be published.
    var tooLarge: UInt64 = 0
    /// Batches of refusals that were lost, because the way out was full or broken.
    var unofferedBatches: UInt64 = 0

    /// The counters under their names on `service/ingest/health`.
    var named: [(name: String, value: UInt64)] {
        [
            ("publish_retries", retries), ("batches_too_large", tooLarge),
            ("refusal_batches_untold", unofferedBatches),
        ]
    }
}

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
