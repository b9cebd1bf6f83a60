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
        var writer = ByteWriter()
        switch self {
        case .motion(let bytes): return bytes
        case .config(let device, let json):
            writer.write(device)
            writer.write(contentsOf: json)
        case .forget(let order): return order.encoded()
        case .silence(let silence):
            writer.write(silence.nowMicroseconds)
            for silent in silence.devices {
                writer.write(silent.since)
                writer.write(silent.device)
            }
        }
        return writer.bytes
    }

    /// Reads a record; `nil` for one of a kind that is not known, or whose content is none of its kind.
    init?(kind: UInt8, payload: UnsafeRawBufferPointer) {
        guard let kind = Kind(rawValue: kind), let record = try? Self.read(kind, payload) else { return nil }
        self = record
    }

    private static func read(_ kind: Kind, _ payload: UnsafeRawBufferPointer) throws(WireError) -> LogRecord {
        var reader = ByteReader(payload)
        switch kind {
        case .motion: return .motion(Array(payload))
        case .config: return .config(try reader.readDevice(), Array(try reader.readBytes(reader.remaining)))
        case .forget: return .forget(try CountsForget(decoding: payload))
        case .silence:
            var silence = SilentDevices(nowMicroseconds: try reader.read(), devices: [])
            while !reader.isAtEnd {
                let since = try reader.read(Int64.self)
                silence.devices.append(Silent(device: try reader.readDevice(), since: since))
            }
            return .silence(silence)
        }
    }
}
