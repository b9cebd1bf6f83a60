package import Wire

/// When the retained `day` and `total` of each device are published: soon after a change but at most once in
/// `minimumSeconds` a device, when a device's local day is over, and when the broker may have older values. A value
/// without clock.
///
/// A start and a midnight concern every device at once: they go a few devices at a time, behind what has changed, so
/// that answers do not wait for a thousand totals.
///
/// Only the fact that something changed is kept here. What is published is read from the store at that time, so it is
/// always the last value.
package struct RetainedTotals: Sendable {
    private struct Entry {
        /// When the device may be published again, in seconds since 1970.
        var earliestSeconds = 0.0
        /// The first minute after the day that was published last.
        var dayEndMinute = Int64.max
        var isChanged = false
        /// True if the broker may have older values, though nothing has changed.
        var isRecalled = false
    }

    private var entries: [DeviceID: Entry] = [:]
    private var isPublishing = false

    /// Nothing to publish.
    package init() {}

    /// The shortest time between two publications of a device, in seconds.
    package static let minimumSeconds = 1.0
    /// The most devices that are read and published at once, so that answers find a broker that is not busy for long.
    package static let maximumDevices = 50

    /// Something about these devices has changed.
    package mutating func change(_ devices: some Sequence<DeviceID>) {
        for device in devices { entries[device, default: Entry()].isChanged = true }
    }

    /// The broker may have older values of these devices.
    package mutating func recall(_ devices: some Sequence<DeviceID>) {
        for device in devices { entries[device, default: Entry()].isRecalled = true }
    }

    /// The devices to read and publish now, first those that have changed; while some are on their way, none. What
    /// changes from now on is published again.
    package mutating func takeDue(nowSeconds: Double) -> [DeviceID] {
        guard !isPublishing else { return [] }
        let due = due(nowSeconds: nowSeconds)
        for device in due {
            entries[device]?.isChanged = false
            entries[device]?.isRecalled = false
            entries[device]?.earliestSeconds = nowSeconds + Self.minimumSeconds
        }
        isPublishing = !due.isEmpty
        return due
    }

    private func due(nowSeconds: Double) -> [DeviceID] {
        let nowMinute = Int64(exactly: (nowSeconds / 60).rounded(.down)) ?? 0
        var changed: [DeviceID] = []
        var unchanged: [DeviceID] = []
        // A clock that was set back must not hold anything up.
        for (device, entry) in entries
        where nowSeconds >= entry.earliestSeconds || nowSeconds < entry.earliestSeconds - Self.minimumSeconds {
            if entry.isChanged {
                changed.append(device)
                if changed.count == Self.maximumDevices { return changed }
            } else if entry.isRecalled || nowMinute >= entry.dayEndMinute, unchanged.count < Self.maximumDevices {
                unchanged.append(device)
            }
        }
        return changed + unchanged.prefix(Self.maximumDevices - changed.count)
    }

    /// Devices were published, each with a day that ends at a minute.
    package mutating func published(_ dayEndMinutes: [DeviceID: Int64]) {
        isPublishing = false
        for (device, minute) in dayEndMinutes { entries[device]?.dayEndMinute = minute }
    }

    /// Devices could not be published: they stay due.
    package mutating func failed(_ devices: [DeviceID]) {
        isPublishing = false
        change(devices)
    }
}

/// The retained `day` and `total` of one device.
struct DeviceTotalsMessages: Sendable {
    /// The topics and payloads; an empty payload takes what is retained away.
    var messages: [(topic: [UInt8], payload: [UInt8])]
    /// The first minute after the day that they are about.
    var dayEndMinute: Int64
    /// The kind of the device; `nil` where nothing is kept of it.
    var kind: DeviceKind?

    /// Retained days never fall within a date, and totals never: a reader that takes a fall for a new beginning
    /// (Home Assistant's `total_increasing`) would count twice. The truth is in `history/days`.
    init(_ snapshot: DeviceSnapshot, minute: Int64, defaultZone: DayCalendar, topics: TopicTree) {
        var day = DeviceDays.day(of: snapshot.record, at: minute, among: snapshot.days, defaultZone: defaultZone)
        day.counts = day.published ?? day.counts
        var record = snapshot.record
        record.counts = record.published ?? record.counts
        var today = DayTotals(day, nowMinute: minute)
        today.end = Double(day.minutes.upperBound) * 60
        messages = [
            (topics.bytes(.device(record.device, .day)), today.encodedJSON()),
            (topics.bytes(.device(record.device, .total)), DeviceTotals(record).encodedJSON()),
        ]
        dayEndMinute = day.minutes.upperBound
        kind = DeviceKind(rawValue: record.settings.kind) ?? .unknown
    }

    /// Takes away what is retained of a device of which nothing is kept.
    init(clearing device: DeviceID, topics: TopicTree) {
        messages = [DeviceChannel.day, .total].map { (topics.bytes(.device(device, $0)), []) }
        dayEndMinute = .max
    }
}

extension HistoryStore {
    /// The messages for each of some devices, as they are now.
    func totalsMessages(
        of devices: [DeviceID], nowMinute: Int64, topics: TopicTree
    ) async throws(HistoryError) -> [DeviceID: DeviceTotalsMessages] {
        let dates = LocalDate.dates(near: nowMinute)
        var messages: [DeviceID: DeviceTotalsMessages] = [:]
        for snapshot in try await snapshots(of: devices, from: dates.lowerBound, to: dates.upperBound) {
            messages[snapshot.record.device] = DeviceTotalsMessages(
                snapshot, minute: nowMinute, defaultZone: defaultZone, topics: topics)
        }
        for device in devices where messages[device] == nil {
            messages[device] = DeviceTotalsMessages(clearing: device, topics: topics)
        }
        return messages
    }
}
