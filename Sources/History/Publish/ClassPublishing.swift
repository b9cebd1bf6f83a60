import Logging
import MQTT
import Wire

/// When `class` is published. A value without clock: what is published follows from the store and the time alone, so that a
/// history that starts in mid-class goes on with it.
struct ClassBoard: Sendable {
    /// The time between two looks at the class, in seconds.
    static let lookSeconds = 1.0
    /// The shortest time between two publications for what riders did, in seconds.
    static let minimumSeconds = 2.0
    /// The time after which it is published though nothing has changed, by which a screen knows that it is of now.
    static let renewalSeconds = 10.0

    /// Whether something has changed of which results are made.
    var isChanged = false
    /// Whether a class has begun or ended, or the broker may have lost what it retained.
    var isUnsure = true
    /// What is retained, and when it changes by the time alone, in seconds since 1970; nil for nothing.
    private var shown: (seconds: Double, endSeconds: Double)?

    func isDue(nowSeconds: Double) -> Bool {
        guard let shown, !isUnsure else { return isUnsure }
        let age = nowSeconds - shown.seconds
        // A clock that was set back must not hold it up.
        return nowSeconds >= shown.endSeconds || !(0..<Self.renewalSeconds).contains(age)
            || isChanged && age >= Self.minimumSeconds
    }

    mutating func published(_ report: ClassReport?, of record: ClassRecord?) {
        shown = nil
        guard let report, let record else { return }
        let end = report.ended == nil ? Double(record.seconds.upperBound) : record.summaryEndSeconds
        shown = (report.t, min(end, report.stepEnd ?? end))
    }
}

extension HistoryPublisher {
    /// Publishes the class that runs, and its summary, as they fall due, until it is cancelled.
    func publishClasses() async {
        repeat {
            if classBoard.isDue(nowSeconds: now()) { await publishClass() }
        } while (try? await Task.sleep(for: .seconds(ClassBoard.lookSeconds))) != nil
    }

    private func publishClass() async {
        let nowSeconds = now()
        (classBoard.isChanged, classBoard.isUnsure) = (false, false)
        do {
            let record = try await store.lastClass().flatMap { nowSeconds < $0.summaryEndSeconds ? $0 : nil }
            var report: ClassReport?
            if let record { report = ClassReport(record, try await store.results(of: record), nowSeconds: nowSeconds) }
            let payload = report?.encodedJSON() ?? []
            try await producer.publish(
                MQTTPublication(topic: topics.bytes(.runningClass), payload: payload, retain: true))
            classBoard.published(report, of: record)
        } catch {
            logger.debug("the class is published later", metadata: ["error": "\(error)"])
            classBoard.isUnsure = true
            health[.publishFailures] += 1
        }
    }
}
