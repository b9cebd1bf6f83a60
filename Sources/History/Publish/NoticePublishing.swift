import MQTT
import Wire

/// Notices of leases.
extension HistoryPublisher {
    /// Publishes notices as they fall due, until it is cancelled.
    func publishNotices() async {
        for await _ in noticesDue.stream { await publishDueNotices() }
    }

    /// Counts the leases whose devices have changed. A notice that is lost is made good by the next.
    func publishDueNotices() async {
        let due = leases.takeDue(nowSeconds: now())
        guard !due.isEmpty else { return }
        let answers = HistoryAnswers(store: store)
        let start = ContinuousClock.now
        for lease in due {
            guard let (counted, today) = try? await answers.progress(of: lease, nowSeconds: now()) else { continue }
            let notices = leases.counted(
                LeaseProgress(lease: lease, counted: counted, today: today), nowSeconds: now())
            health[.notices] += UInt64(notices.count)
            for notice in notices {
                producer.offer(publication(notice.payload, to: notice.topic, notice.correlationData))
            }
        }
        leases.countingEnded(nowSeconds: now(), seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    func publication(_ payload: [UInt8], to topic: [UInt8], _ correlationData: [UInt8]?) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: payload, properties: correlationData.map { MQTTProperties(correlationData: $0) })
    }
}
