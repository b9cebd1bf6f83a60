import Wire

/// Which devices' retained `day` and `total` are to be published, and when: soon after a change but at most once in
/// `minimumSeconds` a device, and when a device's local day is over. A value without clock.
///
/// Only the fact that something changed is kept here. What is published is read from the store at that time, so it is
/// always the last value.
struct RetainedBoard: Sendable {
    private struct Entry {
        /// When the device may be published again, in seconds since 1970.
        var earliestSeconds: Double
        /// The first minute after the day that was published last.
        var dayEndMinute: Int64
        var isChanged: Bool
    }

    private var entries: [DeviceID: Entry] = [:]

    /// The shortest time between two publications of a device, in seconds.
    static let minimumSeconds = 1.0

    /// Something about these devices has changed.
    mutating func change(_ devices: some Sequence<DeviceID>) {
        for device in devices {
            entries[device, default: Entry(earliestSeconds: 0, dayEndMinute: .max, isChanged: true)].isChanged = true
        }
    }

    /// The devices to publish now, at most `limit` of them.
    func due(nowSeconds: Double, limit: Int) -> [DeviceID] {
        let nowMinute = Int64(exactly: (nowSeconds / 60).rounded(.down)) ?? 0
        return Array(
            entries.lazy
                .filter { _, entry in
                    nowSeconds >= entry.earliestSeconds && (entry.isChanged || nowMinute >= entry.dayEndMinute)
                }
                .prefix(limit).map(\.key))
    }

    /// A device's values are about to be read and published; what changes from now on is published again.
    mutating func take(_ device: DeviceID, nowSeconds: Double) {
        entries[device]?.isChanged = false
        entries[device]?.earliestSeconds = nowSeconds + Self.minimumSeconds
    }

    /// A device was published with a day that ends at a minute.
    mutating func published(_ device: DeviceID, dayEndMinute: Int64) {
        entries[device]?.dayEndMinute = dayEndMinute
    }
}
