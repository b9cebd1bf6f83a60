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

    /// How many devices are published before the next are looked at.
    static var maximumDevicesARound: Int { 500 }
    /// How many devices are read and published at once.
    static var devicesARead: Int { 50 }

    /// Marks every device, so that what the broker retains is right after a start, however long history was away.
    func markEverything() async throws(HistoryError) {
        var last: DeviceID?
        while true {
            let page = try await store.devices(after: last, limit: Self.maximumDevicesARound)
            board.recall(page.map(\.device))
            guard page.count == Self.maximumDevicesARound, let end = page.last?.device else { return }
            last = end
        }
    }

    /// Publishes what is due, some devices at a time, so that answers find a broker that is not busy with a thousand
    /// totals. What cannot be published stays due.
    func publishDue(nowSeconds: Double) async {
        let devices = board.take(nowSeconds: nowSeconds, limit: Self.maximumDevicesARound)
        for start in stride(from: 0, to: devices.count, by: Self.devicesARead) {
            let some = Array(devices[start..<min(start + Self.devicesARead, devices.count)])
            do {
                let publications = try await values(of: some, nowSeconds: nowSeconds)
                try await producer.publish(publications)
                telemetry.count(.published, publications.count)
            } catch {
                board.change(devices[start...])
                telemetry.count(.publishFailures)
                return logger.debug("totals are published later", metadata: ["error": "\(error)"])
            }
        }
    }

    private func values(of devices: [DeviceID], nowSeconds: Double) async throws -> [MQTTPublication] {
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        let dates = LocalDate.dates(near: minute)
        let standings = try await store.standings(of: devices, from: dates.lowerBound, to: dates.upperBound)
        var publications: [MQTTPublication] = []
        for standing in standings { publications += values(standing, minute: minute) }
        for gone in Set(devices).subtracting(standings.map(\.record.device)) {
            publications += topics.clearedTotals(of: gone)
        }
        return publications
    }

    /// What is retained never falls within a date, nor do the totals: a reader that takes a fall for a new beginning
    /// (Home Assistant's `total_increasing`) would count twice. The truth is in `history/days`.
    private func values(_ standing: DeviceStanding, minute: Int64) -> [MQTTPublication] {
        let device = standing.record.device
        var day = days.day(of: standing.record, at: minute, among: standing.days)
        if let peak = standing.dayPeak, peak.date == day.date { day.counts = day.counts.raised(to: peak.counts) }
        var record = standing.record
        if let peak = standing.totalPeak { record.counts = record.counts.raised(to: peak) }
        board.published(device, dayEndMinute: day.minutes.upperBound)
        var today = DayTotals(day, nowMinute: minute)
        today.end = Double(day.minutes.upperBound) * 60
        let total = DeviceTotals(record)
        return [
            MQTTPublication(
                topic: topics.bytes(.device(device, .day)),
                payload: today.encodedJSON(), retain: true),
            MQTTPublication(
                topic: topics.bytes(.device(device, .total)), payload: total.encodedJSON(), retain: true),
        ]
    }
}
