package import Wire

/// A record of the counter's log: motion, a config, an order to forget, or the end of silences. Records that are counted
/// again in their order make the same run again.
package enum LogRecord: Sendable, Equatable {
    /// A batch of device messages, as ingest published it.
    case motion([UInt8])
    /// The config of a device, as it came; empty where it was taken back.
    case config(DeviceID, [UInt8])
    /// The counts of a device must be forgotten.
    case forget(CountsForget)
    /// Devices have been silent for so long that something follows from it.
    case silence(SilentDevices)

    /// Devices that are silent at a time.
    package struct SilentDevices: Sendable, Equatable {
        /// The time on the counter's clock, in microseconds since 1970.
        package var nowMicroseconds: Int64
        package var devices: [Silent]
    }

    /// A device, and the time since which it is silent, in microseconds since 1970.
    package struct Silent: Sendable, Equatable {
        package var device: DeviceID
        package var since: Int64
    }
}

// MARK: - Bytes

extension LogRecord {
    /// The kinds of records; a number is never used again for something else.
    enum Kind: UInt8 {
        case motion = 1
        case config = 2
        case forget = 3
        case silence = 4
    }

    var kind: Kind {
        switch self {
        case .motion: .motion
        case .config: .config
        case .forget: .forget
        case .silence: .silence
        }
    }

    /// The content: of a config the device's id, one byte of length before it, and the JSON; of a silence the time, and
    /// of each device the time and the id. Little-endian.
    var payload: [UInt8] {
        switch self {
        case .motion(let bytes): return bytes
        case .config(let device, let json):
            var bytes: [UInt8] = []
            Self.append(device, to: &bytes)
            return bytes + json
        case .forget(let order): return order.encoded()
        case .silence(let silence):
            var bytes: [UInt8] = []
            LogSegment.append(silence.nowMicroseconds, to: &bytes)
            for silent in silence.devices {
                LogSegment.append(silent.since, to: &bytes)
                Self.append(silent.device, to: &bytes)
            }
            return bytes
        }
    }

    /// Reads a record; `nil` for one of a kind that is not known, or whose content is none of its kind.
    init?(kind: UInt8, payload: UnsafeRawBufferPointer) {
        switch Kind(rawValue: kind) {
        case .motion: self = .motion(Array(payload))
        case .config:
            var rest = payload[...]
            guard let device = Self.takeDevice(&rest) else { return nil }
            self = .config(device, Array(rest))
        case .forget:
            guard let order = try? CountsForget(decoding: payload) else { return nil }
            self = .forget(order)
        case .silence:
            var rest = payload[...]
            guard let now = Self.takeTime(&rest) else { return nil }
            var silence = SilentDevices(nowMicroseconds: now, devices: [])
            while !rest.isEmpty {
                guard let since = Self.takeTime(&rest), let device = Self.takeDevice(&rest) else { return nil }
                silence.devices.append(Silent(device: device, since: since))
            }
            self = .silence(silence)
        case nil: return nil
        }
    }

    private static func append(_ device: DeviceID, to bytes: inout [UInt8]) {
        let id = Array(device.description.utf8)
        bytes.append(UInt8(truncatingIfNeeded: id.count))
        bytes += id
    }

    private static func takeDevice(_ rest: inout Slice<UnsafeRawBufferPointer>) -> DeviceID? {
        guard let length = rest.popFirst().map({ Int($0) }), length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return try? DeviceID(String(decoding: rest.prefix(length), as: UTF8.self))
    }

    private static func takeTime(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return LogSegment.number(UnsafeRawBufferPointer(rebasing: rest), at: 0, as: Int64.self)
    }
}
