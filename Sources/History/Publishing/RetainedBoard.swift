import Wire

/// Which devices' retained `day` and `total` are to be published, and when: soon after a change but at most once in
/// `minimumSeconds` a device, when a device's local day is over, and when the broker may have older values. A value
/// without clock.
///
/// A start and a midnight concern every device at once: they go a few devices at a time, behind what has changed, so
/// that whoever asks meanwhile is answered as soon as ever.
///
/// Only the fact that something changed is kept here. What is published is read from the store at that time, so it is
/// always the last value.
struct RetainedBoard: Sendable {
    private struct Entry {
        /// When the device may be published again, in seconds since 1970.
        var earliestSeconds = 0.0
        /// The first minute after the day that was published last.
        var dayEndMinute = Int64.max
        var isChanged = false
        /// Whether the broker may have older values, though nothing has changed.
        var isRecalled = false
    }

    private var entries: [DeviceID: Entry] = [:]

    /// The shortest time between two publications of a device, in seconds.
    static let minimumSeconds = 1.0
    /// The most devices at once of which nothing has changed.
    static let maximumUnchangedDevices = 50

    /// Something about these devices has changed.
    mutating func change(_ devices: some Sequence<DeviceID>) {
        for device in devices { entries[device, default: Entry()].isChanged = true }
    }

    /// The broker may have older values of these devices.
    mutating func recall(_ devices: some Sequence<DeviceID>) {
        for device in devices { entries[device, default: Entry()].isRecalled = true }
    }

    /// The devices to publish now, at most `limit` of them: first those that have changed.
    func due(nowSeconds: Double, limit: Int) -> [DeviceID] {
        let nowMinute = Int64(exactly: (nowSeconds / 60).rounded(.down)) ?? 0
        var changed: [DeviceID] = []
        var unchanged: [DeviceID] = []
        for (device, entry) in entries where nowSeconds >= entry.earliestSeconds {
            if entry.isChanged {
                changed.append(device)
                if changed.count == limit { return changed }
            } else if entry.isRecalled || nowMinute >= entry.dayEndMinute,
                unchanged.count < Self.maximumUnchangedDevices
            {
                unchanged.append(device)
            }
        }
        return changed + unchanged.prefix(limit - changed.count)
    }

    /// A device's values are about to be read and published; what changes from now on is published again.
    mutating func take(_ device: DeviceID, nowSeconds: Double) {
        entries[device]?.isChanged = false
        entries[device]?.isRecalled = false
        entries[device]?.earliestSeconds = nowSeconds + Self.minimumSeconds
    }

    /// A device was published with a day that ends at a minute.
    mutating func published(_ device: DeviceID, dayEndMinute: Int64) {
        entries[device]?.dayEndMinute = dayEndMinute
    }
}
