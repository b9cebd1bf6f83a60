import MQTT
import ServiceKit
import Wire

/// A device as an operator sees it: its retained `config`, and its other retained messages.
struct RetainedDevice: Sendable, Equatable {
    /// The operator's config; `nil` for a device that works with the defaults.
    var config: DeviceConfig?
    /// All fields of the retained config, unknown ones included; `nil` if it is not a JSON object.
    var configFields: JSONObject?
    /// Why the retained config is not used: it is malformed or a value is out of range.
    var configError: WireError?
    /// True if its last status is `online`, false for any other, such as its will; `nil` without a status.
    var isOnline: Bool?
    /// Problems with its data.
    var health: DeviceHealth?
    /// Today's totals.
    var day: DayTotals?

    fileprivate mutating func take(_ payload: UnsafeRawBufferPointer, of channel: DeviceChannel) {
        switch channel {
        case .config:
            (config, configError) = (nil, nil)
            configFields = (try? JSONValue(parsing: payload))?.object
            guard !payload.isEmpty else { return }
            do throws(WireError) { config = try DeviceConfig(json: payload) } catch { configError = error }
        case .status: isOnline = payload.isEmpty ? nil : payload.elementsEqual("online".utf8)
        case .health: health = try? DeviceHealth(json: payload)
        case .day: day = try? DayTotals(json: payload)
        default: break
        }
    }
}

extension BrokerProbe {
    /// How long retained messages may take after the subscription, in seconds.
    private static let devicesSeconds = 1.0

    /// Collects the retained messages of devices.
    ///
    /// A broker has no list of devices. Those with retained messages are found by these, others by a request to history.
    /// - Parameters:
    ///   - devices: The devices to look for, by their exact topics: some brokers send no retained messages for wildcards. If
    ///     it is empty, all devices are looked for.
    ///   - number: The number of the connection.
    /// - Throws: `MQTTError` where the broker does not let this user read, or there is none.
    func retained(of devices: [DeviceID] = [], number: Int = 0) async throws -> [DeviceID: RetainedDevice] {
        let channels: [DeviceChannel] = [.config, .status, .health, .day]
        let filters =
            devices.isEmpty
            ? channels.map { bus.topics.filter(every: $0) }
            : devices.flatMap { device in channels.map { bus.topics.text(.device(device, $0)) } }
        var found: [DeviceID: RetainedDevice] = [:]
        var isReading = false
        try await listen(to: filters, as: connection("in-\(number)"), seconds: Self.devicesSeconds) {
            isReading = true
        } take: { batch in
            for message in batch {
                guard case .device(let device, let channel) = try? bus.topics.parse(message.topic) else { continue }
                found[device, default: RetainedDevice()].take(message.payload, of: channel)
            }
            return false
        }
        guard isReading else { throw MQTTError(.connectTimeout, "no broker at \(bus.endpoint)") }
        return found
    }

    /// Clears the retained config and the retained status of a device.
    func clear(_ device: DeviceID) async throws {
        try await publish(
            [DeviceChannel.config, .status].map { channel in
                MQTTPublication(topic: bus.topics.bytes(.device(device, channel)), payload: [], retain: true)
            })
    }
}
