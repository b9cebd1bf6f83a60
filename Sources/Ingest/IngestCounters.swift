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
    /// Times that the broker refused motion and it was tried again.
    package internal(set) var publishRetries: UInt64 = 0
    /// Batches that are larger than the broker takes: they can never be published.
    package internal(set) var batchesTooLarge: UInt64 = 0
    /// Batches of refusals that were lost, because the way out was full or broken.
    package internal(set) var refusalBatchesUntold: UInt64 = 0
    /// Messages of which ingest has died twice, as long as they are kept.
    package internal(set) var setAside: UInt64 = 0
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
            ("publish_retries", publishRetries), ("batches_too_large", batchesTooLarge),
            ("refusal_batches_untold", refusalBatchesUntold), ("set_aside", setAside),
        ]
        return counters
    }
}

/// The times of health reports and log lines: at once when something new was refused, seldom otherwise.
struct IngestReporter {
    private let healthMicroseconds: Int64
    private let logMicroseconds: Int64
    private var published: (microseconds: Int64, refused: UInt64)?
    private var logged: (microseconds: Int64, counters: IngestCounters)?

    /// A reporter that has reported nothing, with the intervals of health and log.
    init(healthSeconds: Double, logSeconds: Double) {
        (healthMicroseconds, logMicroseconds) = (Int64(healthSeconds * 1e6), Int64(logSeconds * 1e6))
    }

    /// True when a report of health is due; the interval to the next one begins with it.
    mutating func isHealthDue(_ counters: IngestCounters, _ now: Int64) -> Bool {
        let isNews = published?.refused != counters.refused
        guard isNews || Self.isDue(published?.microseconds, healthMicroseconds, now) else { return false }
        published = (now, counters.refused)
        return true
    }

    /// A line about what was refused since the last one, where it is due.
    mutating func line(_ counters: IngestCounters, _ now: Int64) -> String? {
        let before = logged?.counters ?? IngestCounters()
        let isDue = Self.isDue(logged?.microseconds, logMicroseconds, now)
        guard counters.refused > before.refused, isDue else { return nil }
        logged = (now, counters)
        let reasons = WireError.allCases.compactMap { reason in
            let count = counters.refused(reason) - before.refused(reason)
            return count > 0 ? "\(reason.reason) \(count)" : nil
        }
        return "refused \(counters.refused - before.refused) messages: \(reasons.joined(separator: ", "))"
    }

    /// A clock that was set back makes everything due.
    private static func isDue(_ last: Int64?, _ interval: Int64, _ now: Int64) -> Bool {
        guard let last else { return true }
        return now < last || now - last >= interval
    }
}
