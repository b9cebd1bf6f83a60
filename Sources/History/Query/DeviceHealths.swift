import Wire

/// The health of each device as it came, for `capabilities`, and the names of devices, for `devices`.
///
/// The broker sends health again at each connection. It is read when it is asked for: thousands of devices publish theirs
/// every second, and hardly any is asked for.
struct DeviceHealths: Sendable {
    static let maximumDevices = 100_000
    /// The largest health that is kept, in bytes.
    static let maximumBytes = 2_048
    /// The start of the field of a name in the JSON of a device's health.
    private static let nameKey = Array("\"name\":".utf8)

    private var healths: [DeviceID: [UInt8]] = [:]
    /// The names of devices in the systems that they come from, as their health tells them.
    private(set) var names: [DeviceID: String] = [:]

    /// Takes what a device's health is now; no bytes where it was taken back.
    mutating func take(_ json: [UInt8], of device: DeviceID) {
        guard healths[device] != nil || healths.count < Self.maximumDevices else { return }
        let isKept = !json.isEmpty && json.count <= Self.maximumBytes
        healths[device] = isKept ? json : nil
        // Few devices have a name, and a name stays.
        guard isKept, names[device] == nil, json.firstRange(of: Self.nameKey) != nil else {
            if json.isEmpty { names[device] = nil }
            return
        }
        names[device] = self[device]?.name
    }

    /// The health of a device; `nil` where none is known, or none that can be read.
    subscript(device: DeviceID) -> DeviceHealth? { healths[device].flatMap { try? DeviceHealth(json: $0) } }
}
