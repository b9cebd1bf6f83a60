import Logging
import MQTT
import Wire

/// Publishes the retained `day` and `total` of devices whose values have changed or whose day is over.
struct RetainedPublisher<Store: HistoryStore>: Sendable {
    let store: Store
    let days: DeviceDays<Store>
    let topics: TopicTree
    let producer: MQTTProducer
    let telemetry: HistoryTelemetry
    let board: SharedBoard
    let logger: Logger

    /// How many devices are read and published before the next are looked at.
    static var maximumDevicesARound: Int { 500 }

    /// Marks every device, so that what the broker retains is right after a start, however long history was away.
    func markEverything() async throws(HistoryError) {
        var last: DeviceID?
        while true {
            let page = try await store.devices(after: last, limit: Self.maximumDevicesARound)
            board.change(page.map(\.device))
            guard page.count == Self.maximumDevicesARound, let end = page.last?.device else { return }
            last = end
        }
    }

    /// Publishes what is due. What cannot be published stays due.
    func publishDue(nowSeconds: Double) async {
        let devices = board.take(nowSeconds: nowSeconds, limit: Self.maximumDevicesARound)
        guard !devices.isEmpty else { return }
        do {
            var publications: [MQTTPublication] = []
            for device in devices { publications += try await values(of: device, nowSeconds: nowSeconds) }
            try await producer.publish(publications)
            telemetry.count(.published, publications.count)
        } catch {
            board.change(devices)
            telemetry.count(.publishFailures)
            logger.debug("totals are published later", metadata: ["error": "\(error)"])
        }
    }

    /// A device's record as it is retained: like its day, its totals never fall.
    private func shown(_ record: DeviceRecord) async throws -> DeviceRecord {
        guard let peak = try await store.totalPeak(of: record.device) else { return record }
        var shown = record
        shown.counts = record.counts.raised(to: peak)
        return shown
    }

    private func values(of device: DeviceID, nowSeconds: Double) async throws -> [MQTTPublication] {
        guard let record = try await store.device(device) else { return topics.clearedTotals(of: device) }
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var day = try await days.day(of: record, at: minute)
        if let peak = try await store.peak(of: device), peak.date == day.date {
            // A reader that takes a fall for a new beginning (Home Assistant's total_increasing) would count the day
            // twice: what is retained never falls within a date. The truth is in history/days.
            day.counts = day.counts.raised(to: peak.counts)
        }
        board.published(device, dayEndMinute: day.minutes.upperBound)
        var today = DayTotals(day, nowMinute: minute)
        today.end = Double(day.minutes.upperBound) * 60
        let total = DeviceTotals(try await shown(record))
        return [
            MQTTPublication(
                topic: topics.bytes(.device(device, .day)),
                payload: today.encodedJSON(), retain: true),
            MQTTPublication(
                topic: topics.bytes(.device(device, .total)), payload: total.encodedJSON(), retain: true),
        ]
    }
}
