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
